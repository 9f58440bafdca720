import { Button, NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Comparison, MAX_DEPTH, type Rule } from '../../../src/rules/language.ts';
import { t } from '../i18n/i18n.ts';
import { comparisonsOf, typedValue } from './comparisons.ts';
import { useRules } from './context.ts';
import { NO_RULES, withComparison, withDays, withField, withWhere } from './edit.ts';
import { FieldPicker } from './FieldPicker.tsx';
import type { Subject } from './fields.ts';
import { type Field, takesDays, takesWhere } from './fields.ts';
import type { Shown } from './read.ts';
import css from './rules.module.css';
import { ValueInput } from './ValueInput.tsx';
import { say } from './words.ts';

interface RuleRowProps {
  shown: Extract<Shown, { as: 'rule' | 'new' }>;
  subject: Subject;
  eventType: string | null;
  path: string;
  depth: number;
  number: number;
  onChange(next: Rule): void;
  /** The group of `where`. */
  children: ReactNode;
}

/** One rule, with its parts from left to right in the order of its sentence. */
export function RuleRow({ shown, subject, eventType, path, depth, number, onChange, children }: RuleRowProps) {
  const { rule } = shown;
  const { offer } = useRules();
  const setField = (name: string) => onChange(withField(rule, name, subject, offer.customFields));
  return (
    // A fieldset's legend would take part in the row's layout.
    // biome-ignore lint/a11y/useSemanticElements: see above
    <div role="group" className={css.rule} aria-label={t('rule.rule', { n: number })}>
      <div className={css.parts}>
        <FieldPicker shown={shown} subject={subject} eventType={eventType} path={path} onChange={setField} />
        {shown.as === 'rule' ? (
          <Rest rule={rule} field={shown.field} subject={subject} path={path} depth={depth} onChange={onChange} />
        ) : null}
      </div>
      {shown.as === 'rule' && rule.where !== undefined ? (
        <div className={css.where}>
          <div className="row">
            <span>{t('rule.where.title')}</span>
            <span className="grow" />
            <Button size="compact-xs" variant="subtle" onClick={() => onChange(withWhere(rule, undefined))}>
              {t('rule.where.remove')}
            </Button>
          </div>
          {children}
        </div>
      ) : null}
    </div>
  );
}

interface RestProps {
  rule: Rule;
  field: Field;
  subject: Subject;
  path: string;
  depth: number;
  onChange(next: Rule): void;
}

/** Comparison, value and period, once the rule's subject is chosen. */
function Rest({ rule, field, subject, path, depth, onChange }: RestProps) {
  const { offer } = useRules();
  const offered = comparisonsOf(field);
  const shown = offered.includes(rule.comparison) ? offered : [rule.comparison, ...offered];
  return (
    <>
      <NativeSelect
        size="xs"
        className={css.comparison}
        aria-label={t('rule.comparison')}
        value={rule.comparison}
        data={shown.map((value) => ({ value, label: say(`compare.${value}`) }))}
        onChange={(event) =>
          onChange(withComparison(rule, event.currentTarget.value as Comparison, subject, offer.customFields))
        }
      />
      <ValueInput rule={rule} field={field} path={path} onChange={onChange} />
      {takesDays(field) ? <Period rule={rule} path={path} onChange={onChange} /> : null}
      {takesWhere(field) && rule.where === undefined && depth < MAX_DEPTH ? (
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() =>
            onChange(withWhere(rule, { ...NO_RULES, rules: [{ field: '', comparison: 'equals', value: '' }] }))
          }
        >
          {t('rule.where.add')}
        </Button>
      ) : null}
    </>
  );
}

const USUAL_DAYS = 30;

/** At any time, or in the last so many days. */
function Period({ rule, path, onChange }: { rule: Rule; path: string; onChange(next: Rule): void }) {
  const { problems, errors } = useRules();
  const place = `${path}.within_days`;
  const days = rule.within_days;
  return (
    <>
      <NativeSelect
        size="xs"
        className={css.period}
        aria-label={t('rule.period')}
        value={days === undefined ? 'ever' : 'last'}
        data={[
          { value: 'ever', label: t('rule.period.ever') },
          { value: 'last', label: t('rule.period.last') },
        ]}
        onChange={(event) => onChange(withDays(rule, event.currentTarget.value === 'ever' ? undefined : USUAL_DAYS))}
      />
      {days === undefined ? null : (
        <TextInput
          size="xs"
          className={css.number}
          inputMode="numeric"
          autoComplete="off"
          aria-label={t('rule.period.days')}
          value={String(days)}
          error={errors.get(place) ?? (problems.has(place) ? t('rule.problem.days') : undefined)}
          onChange={(event) => onChange(withDays(rule, typedValue('days', event.currentTarget.value)))}
        />
      )}
    </>
  );
}
