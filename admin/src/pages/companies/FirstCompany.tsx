import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { COUNTRY_CODES } from '../../../../src/lib/countries.ts';
import { accountApi } from '../../api/account.ts';
import { ok } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import css from '../../app/SignIn.module.css';
import { SESSION, useSignOut } from '../../app/session.tsx';
import { language, t } from '../../i18n/i18n.ts';
import { Messages, sayError, textAt, textOf } from '../../ui/messages.tsx';

interface Choice {
  value: string;
  label: string;
}

/** By name in the person's language, with an empty choice first. */
function choicesOf(type: 'region' | 'currency', codes: readonly string[]): Choice[] {
  const names = new Intl.DisplayNames(language(), { type });
  const shown = codes.map((value) => ({ value, label: `${names.of(value) ?? value} (${value})` }));
  return [{ value: '', label: '' }, ...shown.sort((a, b) => a.label.localeCompare(b.label, language()))];
}

function zones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
}

/** The first screen of an installation without a company. Once the session has it, /admin/ leads there. */
export function FirstCompany() {
  const [values, setValues] = useState({
    name: '',
    country: '',
    currency: '',
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const [lists] = useState(() => ({
    country: choicesOf('region', COUNTRY_CODES),
    currency: choicesOf('currency', Intl.supportedValuesOf('currency')),
    time_zone: zones(),
  }));
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
    withAsterisk: false,
    value: values[name],
    error: error instanceof ApiError ? textAt(error.fields, name) : undefined,
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setValues((before) => ({ ...before, [name]: value }));
    },
  });
  const isShownAtField = error instanceof ApiError && error.fields.length > 0;
  return (
    <main className={css.page}>
      <div className={css.card}>
        <form className="stack" onSubmit={onSubmit}>
          <h1>{t('companies.first')}</h1>
          <p className="dim">{t('companies.first.text')}</p>
          <TextInput label={t('field.name')} autoComplete="organization" {...field('name')} />
          <NativeSelect label={t('field.country')} data={lists.country} {...field('country')} />
          <NativeSelect label={t('settings.currency')} data={lists.currency} {...field('currency')} />
          <NativeSelect
            label={t('settings.time_zone')}
            description={t('companies.zone.help')}
            data={lists.time_zone}
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
