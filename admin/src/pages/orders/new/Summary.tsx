import { Button } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';
import { Section } from '../../../ui/DetailPage.tsx';
import { Sums } from '../Sums.tsx';
import type { Calculation } from './calculation.ts';
import css from './new.module.css';

interface SummaryProps {
  calculation: Calculation | undefined;
  /** An older result is shown until the new one arrives. */
  stale: boolean;
  /** Whether fields have errors, so that there is no price yet. */
  refused: boolean;
  /** An error that concerns none of the fields. */
  problem: string | null;
  ready: boolean;
  busy: boolean;
  onPlace: (() => void) | null;
}

/** The price of the order, and the button that places it. */
export function Summary({ calculation, stale, refused, problem, ready, busy, onPlace }: SummaryProps) {
  return (
    <Section title={t('order.new.summary')} flush>
      <div aria-live="polite" aria-busy={stale} className={stale ? css.stale : undefined}>
        {calculation === undefined ? (
          <p className={`${css.note} dim`}>{t(refused ? 'order.new.refused' : 'order.new.nothing')}</p>
        ) : (
          <>
            <Sums order={calculation} shipping={calculation.shipping_method?.name ?? null} />
            {calculation.points_earned > 0 ? (
              <p className={`${css.note} dim`}>{t('order.new.earns', { n: calculation.points_earned })}</p>
            ) : null}
          </>
        )}
        {problem === null ? null : (
          <p role="alert" className={css.problem}>
            {problem}
          </p>
        )}
      </div>
      {onPlace === null ? null : (
        <div className={css.place}>
          <Button fullWidth loading={busy} disabled={!ready} onClick={onPlace}>
            {t('order.new.place')}
          </Button>
        </div>
      )}
    </Section>
  );
}
