import './texts.ts';
import { SegmentedControl } from '@mantine/core';
import { oneOf, useSearchValues } from '../../app/nav.ts';
import { t } from '../../i18n/i18n.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Growth } from './Growth.tsx';
import css from './Page.module.css';
import { Providers } from './Providers.tsx';
import { PERIODS, type PeriodName } from './queries.ts';
import { Revenue } from './Revenue.tsx';

export function Page() {
  const [values, change] = useSearchValues();
  const period: PeriodName = oneOf(PERIODS, values.period, 'month');
  return (
    <>
      <PageHeader title={t('nav.reports')}>
        <SegmentedControl
          size="xs"
          aria-label={t('home.period')}
          value={period}
          onChange={(chosen) => change({ period: chosen === 'month' ? '' : chosen })}
          data={PERIODS.map((value) => ({ value, label: t(`home.period.${value}`) }))}
        />
      </PageHeader>
      <div className={css.reports}>
        <Revenue period={period} />
        <Providers period={period} />
        <Growth period={period} />
      </div>
    </>
  );
}
