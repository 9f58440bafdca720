import './texts.ts';
import { Button, NativeSelect, SegmentedControl } from '@mantine/core';
import { oneOf, useSearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { DetailColumns, Loaded, Section } from '../../ui/DetailPage.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Attention } from './Attention.tsx';
import { Chart, type Measure, titleOf } from './Chart.tsx';
import { Conversion } from './Conversion.tsx';
import { Figures } from './Figures.tsx';
import { Marketing } from './marketing/Marketing.tsx';
import css from './Page.module.css';
import { BestSellers, RunningOut } from './Products.tsx';
import { COMPARISONS, type Comparison, PERIODS, type PeriodName, useSales } from './queries.ts';
import { SetupGuide } from './setup/SetupGuide.tsx';
import { useGuide } from './setup/useGuide.ts';
import { Tiles } from './Tiles.tsx';

const MEASURES = ['revenue', 'net', 'orders'] as const satisfies Measure[];

export function Page() {
  const { can } = useShop();
  const [values, change] = useSearchValues();
  const period: PeriodName = oneOf(PERIODS, values.period, 'month');
  const compare: Comparison = oneOf(COMPARISONS, values.compare, 'previous');
  const measure: Measure = oneOf(MEASURES, values.measure, 'revenue');
  const sales = useSales(period, compare);
  const guide = useGuide();
  return (
    <>
      <PageHeader title={t('nav.home')}>
        {guide.shown === 'hidden' ? (
          <Button variant="default" size="xs" onClick={guide.show}>
            {t('setup.show')}
          </Button>
        ) : null}
      </PageHeader>
      <div className={css.first}>
        {guide.shown === 'open' ? <SetupGuide guide={guide} /> : null}
        <Tiles />
      </div>
      <div className={`${css.controls} no-print`}>
        <SegmentedControl
          size="xs"
          aria-label={t('home.period')}
          className={css.periods ?? ''}
          value={period}
          onChange={(chosen) => change({ period: chosen === 'month' ? '' : chosen })}
          data={PERIODS.map((value) => ({ value, label: tOf('home.period', value) }))}
        />
        <NativeSelect
          size="xs"
          aria-label={t('home.compare')}
          value={compare}
          onChange={(event) => change({ compare: event.target.value === 'previous' ? '' : event.target.value })}
          data={COMPARISONS.map((value) => ({ value, label: tOf('home.compare', value) }))}
        />
      </div>
      <Loaded query={sales}>
        {(overview) => (
          <div className="stack" aria-busy={sales.isPlaceholderData}>
            <Figures overview={overview} />
            <DetailColumns
              side={
                <>
                  <Attention />
                  {can('products:read') ? <RunningOut /> : null}
                </>
              }
            >
              <Section
                title={titleOf(measure)}
                actions={
                  <SegmentedControl
                    size="xs"
                    aria-label={t('home.measure')}
                    value={measure}
                    onChange={(chosen) => change({ measure: chosen === 'revenue' ? '' : chosen })}
                    data={MEASURES.map((value) => ({ value, label: tOf('home.measure', value) }))}
                  />
                }
              >
                <Chart overview={overview} measure={measure} />
              </Section>
              {can('carts:read') ? <Conversion period={period} /> : null}
              {can('products:read') ? <BestSellers /> : null}
            </DetailColumns>
          </div>
        )}
      </Loaded>
      {can('marketing:read') ? <Marketing period={period} /> : null}
    </>
  );
}
