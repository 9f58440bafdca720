import { Button, Modal, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { accountApi, type Person } from '../../api/account.ts';
import { ok } from '../../api/client.ts';
import { SESSION } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { Section } from '../../ui/DetailPage.tsx';
import { DialogActions } from '../../ui/DialogActions.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { say, sayError, textOf } from '../../ui/messages.tsx';
import { SecretDialog } from '../../ui/Secret.tsx';
import css from './Page.module.css';
import { QrCode } from './QrCode.tsx';

/** The authenticator app: set up with one of its codes, removed after a confirmation. */
export function SecondFactor({ person }: { person: Person }) {
  const client = useQueryClient();
  const [begun, setBegun] = useState<{ secret: string; url: string } | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const after = () => client.invalidateQueries({ queryKey: SESSION });
  const begin = useWrite({
    mutationFn: () => ok(accountApi.POST('/me/totp')),
    onSuccess: setBegun,
    onError: sayError,
  });
  const remove = useWrite({
    mutationFn: () => ok(accountApi.DELETE('/me/totp')),
    onSuccess: () => {
      say(t('account.totp.removed'));
      return after();
    },
    onError: sayError,
  });
  const askRemove = async (): Promise<void> => {
    const sure = await ask({
      title: t('account.totp.remove.title'),
      text: t('account.totp.remove.text'),
      action: t('account.totp.remove'),
    });
    if (sure) remove.mutate();
  };
  return (
    <Section title={t('account.totp')}>
      <p className={`${css.text} dim`}>{person.has_totp ? t('account.totp.on') : t('account.totp.off')}</p>
      <div className={css.actions}>
        {person.has_totp ? (
          <Button variant="default" size="xs" loading={remove.isPending} onClick={() => void askRemove()}>
            {t('account.totp.remove')}
          </Button>
        ) : (
          <Button size="xs" loading={begin.isPending} onClick={() => begin.mutate()}>
            {t('account.totp.begin')}
          </Button>
        )}
      </div>
      {begun === null ? null : (
        <ConfirmDialog
          {...begun}
          onClose={() => setBegun(null)}
          onConfirmed={(given) => {
            setBegun(null);
            setCodes(given);
            return after();
          }}
        />
      )}
      {codes === null ? null : (
        <SecretDialog
          title={t('account.recovery')}
          text={t('account.recovery.text')}
          secret={codes.join('\n')}
          onClose={() => setCodes(null)}
        />
      )}
    </Section>
  );
}

function ConfirmDialog(props: {
  secret: string;
  url: string;
  onClose: () => void;
  onConfirmed: (codes: string[]) => Promise<void>;
}) {
  const [code, setCode] = useState('');
  const [error, setError] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const { recovery_codes } = await ok(accountApi.POST('/me/totp/confirm', { body: { code } }));
      await props.onConfirmed(recovery_codes);
    } catch (failure) {
      setError(textOf(failure));
    }
  };
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={t('account.totp.begin')}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <form className="stack" onSubmit={submit}>
        <p>{t('account.totp.scan')}</p>
        <QrCode text={props.url} title={t('account.totp.qr')} />
        <p className="dim break">{t('account.totp.type', { secret: props.secret })}</p>
        <TextInput
          label={t('field.code')}
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          error={error}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <DialogActions submit={t('action.continue')} onCancel={props.onClose} disabled={code.trim() === ''} />
      </form>
    </Modal>
  );
}
