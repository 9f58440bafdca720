import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { accountApi } from '../../api/account.ts';
import { ok } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import css from '../../app/SignIn.module.css';
import { SESSION, useSignOut } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Messages, sayError, textAt, textOf } from '../../ui/messages.tsx';
import { Pick } from '../../ui/pick/Pick.tsx';
import { usePlaces } from '../../ui/pick/places.ts';

/** The first screen of an installation without a company. Once the session has it, /admin/ leads there. */
export function FirstCompany() {
  const [values, setValues] = useState({
    name: '',
    country: '',
    currency: '',
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const client = useQueryClient();
  const signOut = useSignOut();

  const create = async (): Promise<void> => {
    await ok(accountApi.POST('/companies', { body: values }));
    await client.invalidateQueries({ queryKey: SESSION });
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    void create()
      .catch(setError)
      .finally(() => setBusy(false));
  };
  const field = (name: keyof typeof values) => ({
    name,
    required: true,
    value: values[name],
    error: error instanceof ApiError ? textAt(error.fields, name) : undefined,
    onChange: (value: string) => setValues((before) => ({ ...before, [name]: value })),
  });
  const isShownAtField = error instanceof ApiError && error.fields.length > 0;
  return (
    <main className={css.page}>
      <div className={css.card}>
        <form className="stack" onSubmit={onSubmit}>
          <h1>{t('companies.first')}</h1>
          <p className="dim">{t('companies.first.text')}</p>
          <TextInput
            label={t('field.name')}
            autoComplete="organization"
            {...field('name')}
            onChange={(event) => field('name').onChange(event.currentTarget.value)}
          />
          <Pick label={t('field.country')} choices={usePlaces('country')} {...field('country')} />
          <Pick label={t('settings.currency')} choices={usePlaces('currency')} {...field('currency')} />
          <Pick
            label={t('settings.time_zone')}
            description={t('companies.zone.help')}
            choices={usePlaces('zone')}
            {...field('time_zone')}
          />
          {error === null || isShownAtField ? null : (
            <p role="alert" className={css.problem}>
              {textOf(error)}
            </p>
          )}
          <Button type="submit" loading={busy} size="md">
            {t('companies.create')}
          </Button>
          <Button variant="subtle" onClick={() => void signOut().catch(sayError)}>
            {t('action.sign_out')}
          </Button>
        </form>
      </div>
      <Messages />
    </main>
  );
}
