import { Button } from '@mantine/core';
import { useState } from 'react';
import { ok, type ResponseOf } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { Anchor } from '../../../ui/Anchor.tsx';
import { useAct } from '../../../ui/actions/useAct.ts';
import { nameOf } from '../../contacts/queries.ts';

type Run = ResponseOf<'/flows/{id}/runs'>['runs'][number];

/** The contact of a run, by name and address, as a link; a deleted one is named as such. */
export function RunContact({ run: { contact_id, contact } }: { run: Pick<Run, 'contact_id' | 'contact'> }) {
  if (contact === null) return <span className="dim">{t('flow.run.no_contact', { id: contact_id })}</span>;
  const name = nameOf({ contact_id, ...contact });
  const address = contact.email ?? contact.phone;
  return (
    <span className="break">
      <Anchor path={`contacts/${contact_id}`}>{name}</Anchor>
      {address === null || address === name ? null : (
        <>
          <br />
          <span className="dim">{address}</span>
        </>
      )}
    </span>
  );
}

/** Retries a failed run, if the person may. */
export function RetryButton({ run, size }: { run: Pick<Run, 'run_id' | 'status'>; size?: 'compact-xs' }) {
  const { api, can } = useShop();
  const act = useAct();
  const [busy, setBusy] = useState(false);
  if (run.status !== 'failed' || !can('marketing:write')) return null;
  const params = { path: { run_id: run.run_id } };
  const retry = async (): Promise<void> => {
    setBusy(true);
    await act(() => ok(api.POST('/flows/runs/retry/{run_id}', { params })), t('flow.retried'));
    setBusy(false);
  };
  return (
    <Button variant="default" {...(size === undefined ? {} : { size })} loading={busy} onClick={() => void retry()}>
      {t('action.retry')}
    </Button>
  );
}
