import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useGo } from '../app/nav.ts';
import { useShop } from '../app/session.tsx';
import { t } from '../i18n/i18n.ts';
import { DangerButton } from './DangerButton.tsx';
import { ask } from './Dialogs.tsx';
import { say, sayError } from './messages.tsx';

interface DeleteButtonProps {
  name: string;
  /** Explains what deleting it means. */
  text: string;
  /** Where to navigate afterwards. */
  list: string;
  remove(): Promise<unknown>;
}

/** Deletes a record after a confirmation that names it. */
export function DeleteButton({ name, text, list, remove }: DeleteButtonProps) {
  const { company } = useShop();
  const client = useQueryClient();
  const go = useGo();
  const [busy, setBusy] = useState(false);
  const click = async (): Promise<void> => {
    if (!(await ask({ title: t('delete.title', { name }), text, action: t('action.delete') }))) return;
    setBusy(true);
    try {
      await remove();
      say(t('form.deleted'));
      go(list, { replace: true });
      await client.invalidateQueries({ queryKey: [company.id] });
    } catch (error) {
      sayError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <DangerButton loading={busy} onClick={() => void click()}>
      {t('action.delete')}
    </DangerButton>
  );
}
