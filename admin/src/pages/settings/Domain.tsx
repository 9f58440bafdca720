import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type Model, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { copyText } from '../../ui/clipboard.ts';
import { DangerButton } from '../../ui/DangerButton.tsx';
import { Section } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { Moment } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { Status } from '../../ui/Status.tsx';
import css from './Domains.module.css';
import { TrackingHost } from './TrackingHost.tsx';
import { WarmUp } from './WarmUp.tsx';

type SendingDomain = Model<'SendingDomain'>;
type DnsRecord = SendingDomain['records'][number];

/** One domain: its state, and its records with the results of the DNS check. */
export function Domain({ domain }: { domain: SendingDomain }) {
  const { domain_id: id, state, failing_since, checked_at } = domain;
  return (
    <Section title={domain.domain} actions={<Actions id={id} name={domain.domain} />}>
      <p aria-live="polite" className={css.state}>
        <Status value={state} /> {tOf('domains.state', state)}{' '}
        <span className="dim">
          {failing_since === null ? null : (
            <>
              {t('domains.failing_since')} <Moment at={failing_since} />.{' '}
            </>
          )}
          {checked_at === null ? (
            t('domains.unchecked')
          ) : (
            <>
              {t('domains.checked')} <Moment at={checked_at} />
            </>
          )}
        </span>
      </p>
      <ul className={css.records}>
        {domain.records.map((record) => (
          <RecordToSet key={record.purpose} record={record} />
        ))}
      </ul>
      <TrackingHost domain={domain} />
      <WarmUp domain={domain} />
    </Section>
  );
}

function Actions({ id, name }: { id: number; name: string }) {
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const path = { params: { path: { id } } };
  const after = () => client.invalidateQueries({ queryKey: [company.id, 'sending-domains'] });
  const check = useWrite({
    mutationFn: () => ok(api.POST('/sending-domains/check/{id}', path)),
    onSuccess: after,
    onError: sayError,
  });
  const remove = async (): Promise<void> => {
    const sure = await ask({
      title: t('delete.title', { name }),
      text: t('domains.delete.text'),
      action: t('action.delete'),
    });
    if (!sure) return;
    try {
      await ok(api.DELETE('/sending-domains/{id}', path));
      await after();
      say(t('form.deleted'));
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <span className={css.actions}>
      {can('marketing:write') ? (
        <Button
          size="xs"
          variant="default"
          loading={check.isPending}
          onClick={() => check.mutate()}
          aria-label={t('domains.check.of', { name })}
        >
          {t('domains.check')}
        </Button>
      ) : null}
      {can('company:write') ? (
        <DangerButton size="xs" onClick={() => void remove()} aria-label={t('domains.delete.of', { name })}>
          {t('action.delete')}
        </DangerButton>
      ) : null}
    </span>
  );
}

function RecordToSet({ record }: { record: DnsRecord }) {
  const { purpose, type, name, value, required, state, found } = record;
  const title = tOf('domains.record', purpose);
  return (
    <li>
      <div className={css.title}>
        <h3>{title}</h3>
        <Status value={state} />
        <span className="dim">{t(required ? 'domains.required' : 'domains.advised')}</span>
      </div>
      <p className="dim">{tOf('domains.help', purpose)}</p>
      <dl className={css.parts}>
        <Part label={t('domains.type')} text={type} />
        <Part label={t('domains.name')} text={name} copy={t('domains.copy.name', { record: title })} />
        {value === null ? (
          <div>
            <dt>{t('domains.value')}</dt>
            <dd>{t(purpose === 'tracking' ? 'domains.unknown_value.tracking' : 'domains.unknown_value')}</dd>
          </div>
        ) : (
          <Part label={t('domains.value')} text={value} copy={t('domains.copy.value', { record: title })} />
        )}
        {state === 'wrong' && found !== null ? <Part label={t('domains.found')} text={found} /> : null}
      </dl>
    </li>
  );
}

function Part({ label, text, copy }: { label: string; text: string; copy?: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className={css.value}>
        <code>{text}</code>
        {copy === undefined ? null : (
          <Button size="compact-xs" variant="subtle" aria-label={copy} onClick={() => void copyText(text)}>
            <Icon name="copy" size={16} />
          </Button>
        )}
      </dd>
    </div>
  );
}
