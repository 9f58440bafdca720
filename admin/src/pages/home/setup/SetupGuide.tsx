import { Button } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';
import { Anchor } from '../../../ui/Anchor.tsx';
import { Section } from '../../../ui/DetailPage.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import css from './SetupGuide.module.css';
import type { useGuide } from './useGuide.ts';

/** The steps of a new shop until its first order, each with the page on which it is done. */
export function SetupGuide({ guide: { steps, hide } }: { guide: ReturnType<typeof useGuide> }) {
  const done = steps.filter((step) => step.done).length;
  return (
    <Section
      title={t('setup.title')}
      flush
      actions={
        <>
          <span className="dim num">{t('setup.progress', { done, all: steps.length })}</span>
          <Button variant="subtle" size="compact-xs" onClick={hide}>
            {t('setup.hide')}
          </Button>
        </>
      }
    >
      <ol className={css.steps}>
        {steps.map((step) => (
          <li key={step.name} data-done={step.done || undefined}>
            <span className={css.mark}>{step.done ? <Icon name="check" size={14} /> : null}</span>
            <div>
              <span className="visually-hidden">{t(step.done ? 'setup.done' : 'setup.open')} </span>
              <Anchor path={step.path}>{t(`setup.${step.name}`)}</Anchor>
              {step.done ? null : <p className="dim">{t(`setup.${step.name}.text`)}</p>}
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}
