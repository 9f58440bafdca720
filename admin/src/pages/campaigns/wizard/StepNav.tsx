import { type MouseEvent, useEffect, useRef } from 'react';
import { t } from '../../../i18n/i18n.ts';
import { Anchor } from '../../../ui/Anchor.tsx';
import { STEPS, type Step, stepPath } from './steps.ts';
import css from './wizard.module.css';

/**
 * The five steps with the current one, whose heading gets the focus after a change. Without an `id` there is only the
 * first. `onGo` replaces the action of the link, which shows its destination.
 */
export function StepNav({ id, step, onGo }: { id: number | null; step: Step; onGo?(step: Step): void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current !== step) heading.current?.focus();
    shown.current = step;
  }, [step]);
  return (
    <>
      <nav aria-label={t('campaign.steps')}>
        <ol className={css.steps}>
          {STEPS.map((one) => (
            <li key={one}>
              {one === step ? (
                <span aria-current="step">{t(`campaign.step.${one}`)}</span>
              ) : id === null ? (
                <span data-later>{t(`campaign.step.${one}`)}</span>
              ) : (
                <Anchor
                  path={stepPath(id, one)}
                  onClick={(event: MouseEvent) => {
                    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
                    event.preventDefault();
                    onGo?.(one);
                  }}
                >
                  {t(`campaign.step.${one}`)}
                </Anchor>
              )}
            </li>
          ))}
        </ol>
      </nav>
      <div className={css.head}>
        <h2 ref={heading} tabIndex={-1}>
          {t(`campaign.step.${step}.title`)}
        </h2>
        <p className="dim">{t(`campaign.step.${step}.text`)}</p>
      </div>
    </>
  );
}
