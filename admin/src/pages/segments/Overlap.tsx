import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Facts, Section } from '../../ui/DetailPage.tsx';
import { useNarrowed } from '../../ui/form/LongChoice.tsx';
import { useFormat } from '../../ui/format.tsx';
import { textOf } from '../../ui/messages.tsx';
import { everySegment } from './queries.ts';
import css from './segments.module.css';
import '../../rules/texts.ts';

/** How many contacts the segment shares with another one. */
export function Overlap({ id }: { id: number }) {
  const { api, company } = useShop();
  const format = useFormat();
  const [other, setOther] = useState('');
  const segments = useQuery({
    queryKey: [company.id, 'segments', 'every'],
    queryFn: ({ signal }) => everySegment(api, signal),
  });
  const { data, error, isFetching } = useQuery({
    queryKey: [company.id, 'segments', id, 'overlap', other],
    enabled: other !== '',
    retry: false,
    queryFn: ({ signal }) => {
      const params = { path: { id }, query: { segment_id: Number(other) } };
      return ok(api.GET('/segments/{id}/overlap', { params, signal }));
    },
  });
  const others = segments.data?.filter(({ segment_id }) => segment_id !== id) ?? [];
  const [choices, search] = useNarrowed(
    others.map(({ segment_id, name }) => ({ value: String(segment_id), label: name })),
    new Set([other]),
    t('segment.overlap.with'),
  );
  if (others.length === 0) return null;
  const share = (part: number, whole: number): string =>
    whole === 0 ? '–' : format.percent(Math.round((part / whole) * 1_000) / 1_000);
  return (
    <Section title={t('segment.overlap')}>
      <NativeSelect
        size="xs"
        label={t('segment.overlap.with')}
        value={other}
        data={[{ value: '', label: t('rule.value.pick') }, ...choices]}
        onChange={(event) => setOther(event.currentTarget.value)}
      />
      {search}
      <div aria-live="polite" aria-busy={isFetching} className={css.overlap}>
        {error === null ? null : <p className={css.problem}>{textOf(error)}</p>}
        {data === undefined || error !== null ? null : (
          <Facts
            facts={[
              [t('segment.overlap.both'), format.number(data.both)],
              [t('segment.overlap.of_this'), share(data.both, data.count)],
              [t('segment.overlap.of_other'), share(data.both, data.other_count)],
            ]}
          />
        )}
      </div>
    </Section>
  );
}
