import { Button } from '@mantine/core';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Loaded, Section, SmallTable } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Status } from '../../ui/Status.tsx';
import { Empty } from '../../ui/states.tsx';
import { type Method, useMethods, useZones, type Zone } from './queries.ts';

/** Zones in their order, each with its shipping costs. */
export function ListPage() {
  const { can } = useShop();
  const zones = useZones();
  const methods = useMethods();
  const button = can('settings:write') ? (
    <Button component={Anchor} path="shipping/zones/new" leftSection={<Icon name="plus" size={16} />}>
      {t('zone.new')}
    </Button>
  ) : null;
  return (
    <>
      <PageHeader title={t('nav.shipping')}>{button}</PageHeader>
      <Loaded query={zones}>
        {(rows) =>
          rows.length === 0 ? (
            <Section title={t('nav.shipping')} flush>
              <Empty icon="truck" title={t('shipping.empty')} text={t('shipping.empty.text')}>
                {button}
              </Empty>
            </Section>
          ) : (
            <div className="stack">
              {rows.map((zone) => (
                <ZoneSection
                  key={zone.id}
                  zone={zone}
                  query={methods}
                  methods={methods.data?.filter(({ zone_id }) => zone_id === zone.id)}
                />
              ))}
            </div>
          )
        }
      </Loaded>
    </>
  );
}

interface ZoneSectionProps {
  zone: Zone;
  query: ReturnType<typeof useMethods>;
  methods: Method[] | undefined;
}

function ZoneSection({ zone, query, methods }: ZoneSectionProps) {
  const { can } = useShop();
  const format = useFormat();
  const costOf = ({ type, cost, free_over, brackets }: Method): string => {
    if (type === 'by_subtotal')
      return (brackets ?? [])
        .map((one) => t('method.bracket', { from: format.money(one.from), cost: format.money(one.cost) }))
        .join('; ');
    const flat = format.money(cost ?? 0);
    return type === 'free_over' ? t('method.free_over', { cost: flat, over: format.money(free_over ?? 0) }) : flat;
  };
  const where = [
    zone.countries.length === 0 ? t('zone.everywhere') : zone.countries.join(', '),
    ...[zone.states, zone.zip_patterns].filter((list) => list.length > 0).map((list) => list.join(', ')),
  ].join(' · ');
  return (
    <Section
      title={zone.name}
      flush
      actions={
        can('settings:write') ? (
          <>
            <Button size="xs" variant="default" component={Anchor} path={`shipping/zones/${zone.id}`}>
              {t('action.edit')}
            </Button>
            <Button size="xs" variant="default" component={Anchor} path={`shipping/zones/${zone.id}/methods/new`}>
              {t('method.new')}
            </Button>
          </>
        ) : null
      }
    >
      <SmallTable
        caption={`${zone.name}: ${where}`}
        intro={where}
        query={query}
        rows={methods}
        keyOf={(method) => method.id}
        empty={t('zone.no_methods')}
        columns={[
          { title: t('field.name'), cell: (method) => <Anchor path={`shipping/${method.id}`}>{method.name}</Anchor> },
          { title: t('field.type'), cell: (method) => tOf('method.type', method.type), wide: true },
          { title: t('method.cost'), cell: costOf },
          { title: t('field.status'), cell: (method) => <Status value={method.active ? 'active' : 'inactive'} /> },
        ]}
      />
    </Section>
  );
}
