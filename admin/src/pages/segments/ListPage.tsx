import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useOffer } from '../../rules/offer.ts';
import { RuleSentence } from '../../rules/RuleSentence.tsx';
import { Moment } from '../../ui/format.tsx';
import { ListPage as List } from '../../ui/list/ListPage.tsx';
import { Counted } from './Counted.tsx';
import type { ListedSegment } from './queries.ts';

export function ListPage() {
  const { api, can } = useShop();
  const offer = useOffer();
  return (
    <List<ListedSegment>
      name="segments"
      title={t('nav.segments')}
      resource="segments"
      load={async (query, signal) => {
        const { segments, pagination } = await ok(api.GET('/segments', { params: { query }, signal }));
        return { rows: segments, total: pagination.total };
      }}
      idOf={(segment) => segment.segment_id}
      path={(segment) => `segments/${segment.segment_id}`}
      columns={[
        { key: 'name', title: t('field.name'), cell: (segment) => segment.name, csv: (segment) => segment.name },
        {
          key: 'conditions',
          title: t('segment.rules'),
          full: true,
          cell: (segment) => <RuleSentence value={segment.conditions} subject="contact" offer={offer} />,
          csv: (segment) => JSON.stringify(segment.conditions),
        },
        {
          key: 'counted',
          title: t('segment.counted'),
          align: 'right',
          cell: (segment) => <Counted segment={segment} />,
          csv: (segment) => segment.counted?.count ?? null,
        },
        {
          key: 'updated_at',
          title: t('field.changed'),
          wide: true,
          cell: (segment) => <Moment at={segment.updated_at} />,
          csv: (segment) => segment.updated_at,
        },
      ]}
      {...(can('marketing:write') ? { create: { path: 'segments/new', text: t('segment.new') } } : {})}
      empty={{ icon: 'filter', title: t('segments.empty'), text: t('segments.empty.text') }}
    />
  );
}
