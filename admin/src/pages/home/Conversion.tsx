import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { LoadedPart, Section } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import css from './Page.module.css';
import { type CartsOverview, type PeriodName, useCarts } from './queries.ts';

const STEPS = ['begun', 'with_address', 'placed'] as const;

/** How many of the carts that were begun in the period have become orders. */
export function Conversion({ period }: { period: PeriodName }) {
  const query = useCarts(period);
  const isEmpty = query.data?.begun === 0;
  return (
    <Section
      title={t('home.conversion')}
      actions={<Anchor path="carts">{t('nav.carts')}</Anchor>}
      {...(query.data === undefined || isEmpty ? {} : { flush: true })}
    >
      <LoadedPart query={query}>
        {(carts) => (isEmpty ? <p className="dim">{t('home.conversion.none')}</p> : <Steps carts={carts} />)}
      </LoadedPart>
    </Section>
  );
}

function Steps({ carts }: { carts: CartsOverview }) {
  const format = useFormat();
  return (
    <ul className={css.list}>
      {STEPS.map((step) => (
        <li key={step}>
          <span className="break">{t(`home.conversion.${step}`)}</span>
          <span className={`${css.count} num`}>
            <strong>{format.number(carts[step])}</strong>
            {step === 'begun' ? null : (
              <span className="dim"> · {format.percent(Math.round((carts[step] / carts.begun) * 1_000) / 1_000)}</span>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
