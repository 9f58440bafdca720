import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ok, type ResponseOf } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { t, tOf } from '../../../i18n/i18n.ts';
import { instantOf } from '../../../ui/form/moments.ts';
import { Moment, useFormat } from '../../../ui/format.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Reason } from '../../../ui/words/Reason.tsx';
import { useBuilderContext } from '../builder/useBuilder.ts';
import { changesOf, draftOf } from '../model/draft.ts';
import { PairsInput } from '../steps/PairsInput.tsx';
import { LaterEvents } from './LaterEvents.tsx';
import { type LaterEvent, sentEvent } from './later-events.ts';
import { type Lit, litBy, momentsOf } from './path.ts';
import css from './Trial.module.css';
import { type Result, TrialPath } from './TrialPath.tsx';

type Contact = ResponseOf<'/contacts'>['contacts'][number];
/** A test run of the edited flow for a chosen contact, without any effect; a slider steps through its time. */
export function TrialPanel({ onLit, onClose }: { onLit(lit: Lit | null): void; onClose(): void }) {
  const { api, company } = useShop();
  const format = useFormat();
  const builder = useBuilderContext();
  const { flow, draft } = builder;
  const [contact, setContact] = useState<number | null>(null);
  const [data, setData] = useState<unknown>(undefined);
  const [events, setEvents] = useState<LaterEvent[]>([]);
  const [startsAt, setStartsAt] = useState('');
  const [result, setResult] = useState<Result | null>(null);
  const [place, setPlace] = useState(0);
  const [busy, setBusy] = useState(false);
  const moments = useMemo(() => (result === null ? [] : momentsOf(result)), [result]);

  const show = (run: Result, at: number): void => {
    setPlace(at);
    onLit(litBy(run, draft.connections, momentsOf(run)[at] ?? Number.POSITIVE_INFINITY));
  };
  const walk = async (): Promise<void> => {
    setBusy(true);
    try {
      const { name: _, ...changed } = changesOf(draftOf(flow), draft);
      const body = {
        draft: changed,
        event_data: (data ?? {}) as Record<string, unknown>,
        ...(contact === null ? {} : { contact_id: contact }),
        ...(startsAt === '' ? {} : { starts_at: instantOf(startsAt, company.time_zone) }),
        ...(events.length === 0 ? {} : { events: events.map(sentEvent) }),
      };
      const params = { path: { id: flow.flow_id } };
      const run = (await ok(api.POST('/flows/test/{id}', { params, body }))) as Result;
      setResult(run);
      show(run, momentsOf(run).length - 1);
    } catch (error) {
      setResult(null);
      onLit(null);
      builder.blame(error);
    } finally {
      setBusy(false);
    }
  };
  const now = moments[place];
  return (
    <div className={css.trial}>
      <p className="dim">{t('trial.text')}</p>
      <ContactChoice chosen={contact} onChoose={setContact} />
      <PairsInput
        label={t('trial.data')}
        description={t('trial.data.help', { type: draft.trigger_type })}
        error={undefined}
        value={data}
        onChange={setData}
      />
      <TextInput
        type="datetime-local"
        label={t('trial.starts_at')}
        description={`${t('trial.starts_at.help')} ${t('field.zone', { zone: company.time_zone })}`}
        value={startsAt}
        onChange={({ currentTarget }) => setStartsAt(currentTarget.value)}
      />
      <LaterEvents events={events} onChange={setEvents} />
      <div className="row">
        <Button loading={busy} leftSection={<Icon name="bolt" size={15} />} onClick={() => void walk()}>
          {t('trial.walk')}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t('action.close')}
        </Button>
      </div>
      {result === null ? null : (
        <>
          <p role="status" ref={(line) => line?.scrollIntoView({ block: 'nearest' })}>
            <strong>{tOf('trial.status', result.status)}</strong>
            {result.reason === null ? null : (
              <span className="dim">
                {' '}
                · <Reason value={result.reason} />
              </span>
            )}
          </p>
          {moments.length < 2 || now === undefined ? null : (
            <label className={css.time}>
              <span>
                {t('trial.time')}: <Moment at={new Date(now).toISOString()} />
              </span>
              <input
                type="range"
                min={0}
                max={moments.length - 1}
                value={place}
                aria-valuetext={format.moment(new Date(now).toISOString())}
                onChange={({ currentTarget }) => show(result, Number(currentTarget.value))}
              />
            </label>
          )}
          <TrialPath result={result} by={now ?? Number.POSITIVE_INFINITY} />
        </>
      )}
    </div>
  );
}

/** Searches a contact by part of its name or address; no choice means an imaginary contact. */
function ContactChoice({ chosen, onChoose }: { chosen: number | null; onChoose(id: number | null): void }) {
  const { api, company } = useShop();
  const [search, setSearch] = useState('');
  const { data } = useQuery({
    queryKey: [company.id, 'contacts', 'trial', search],
    queryFn: ({ signal }) => {
      const query = { per_page: 20, ...(search === '' ? {} : { search }) };
      return ok(api.GET('/contacts', { params: { query }, signal }));
    },
  });
  const nameOf = ({ contact_id, email, first_name, last_name }: Contact): string =>
    [[first_name, last_name].filter(Boolean).join(' '), email ?? `#${contact_id}`].filter(Boolean).join(', ');
  return (
    <div className={css.contact}>
      <TextInput
        label={t('trial.find_contact')}
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <NativeSelect
        label={t('field.contact')}
        value={chosen === null ? '' : String(chosen)}
        data={[
          { value: '', label: t('trial.nobody') },
          ...(data?.contacts ?? []).map((one) => ({ value: String(one.contact_id), label: nameOf(one) })),
        ]}
        onChange={({ currentTarget: { value } }) => onChoose(value === '' ? null : Number(value))}
      />
    </div>
  );
}
