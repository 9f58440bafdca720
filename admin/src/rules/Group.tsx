import { Button, CloseButton, NativeSelect } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { Rule, RuleGroup } from '../../../src/rules/language.ts';
import { t } from '../i18n/i18n.ts';
import { Icon } from '../ui/Icon.tsx';
import { useRules } from './context.ts';
import {
  MAX_DEPTH,
  MAX_RULES,
  newGroup,
  newRule,
  withAdded,
  withOperator,
  without,
  withRule,
  withWhere,
} from './edit.ts';
import type { Field, Subject } from './fields.ts';
import { RuleRow } from './RuleRow.tsx';
import { readRule } from './read.ts';
import css from './rules.module.css';
import { Unknown } from './Unknown.tsx';

export interface GroupProps {
  label: string;
  group: RuleGroup;
  subject: Subject;
  /** Type of the event whose data the rules refer to. */
  eventType: string | null;
  /** Path of the group: empty for the outermost, `rules.0` or `rules.0.where`. */
  path: string;
  depth: number;
  onChange(next: RuleGroup): void;
}

const FIRST_CONTROL = 'select, input, button';

/** Rules of which all or any must hold. */
export function Group({ label, group, subject, eventType, path, depth, onChange }: GroupProps) {
  const { full, errors } = useRules();
  const list = useRef<HTMLOListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const toFocus = useRef<number | null>(null);
  useEffect(() => {
    if (toFocus.current === null) return;
    const row = list.current?.children[Math.min(toFocus.current, group.rules.length - 1)];
    (row?.querySelector<HTMLElement>(FIRST_CONTROL) ?? add.current)?.focus();
    toFocus.current = null;
  });
  const operator = group.operator ?? 'and';
  const append = (rule: Rule | RuleGroup): void => {
    toFocus.current = group.rules.length;
    onChange(withAdded(group, rule));
  };
  const own = errors.get(path);
  return (
    <fieldset className={css.group} data-depth={depth}>
      <legend className="visually-hidden">{label}</legend>
      {group.rules.length > 1 ? (
        <NativeSelect
          size="xs"
          className={css.operator}
          aria-label={t('rule.operator')}
          value={operator}
          data={[
            { value: 'and', label: t('rule.all') },
            { value: 'or', label: t('rule.any') },
          ]}
          onChange={(event) => onChange(withOperator(group, event.currentTarget.value as 'and' | 'or'))}
        />
      ) : null}
      <ol ref={list} className={css.rules}>
        {group.rules.map((rule, i) => {
          const place = path === '' ? `rules.${i}` : `${path}.rules.${i}`;
          const set = (next: Rule | RuleGroup) => onChange(withRule(group, i, next));
          return (
            <li key={place} className={css.item}>
              {i === 0 ? null : <span className={css.joint}>{t(`rule.${operator}`)}</span>}
              <div className={css.line}>
                <Member
                  rule={rule}
                  subject={subject}
                  eventType={eventType}
                  path={place}
                  depth={depth}
                  number={i + 1}
                  onChange={set}
                />
                <CloseButton
                  aria-label={t('rule.remove', { n: i + 1 })}
                  onClick={() => {
                    toFocus.current = i;
                    onChange(without(group, i));
                  }}
                />
              </div>
            </li>
          );
        })}
      </ol>
      {own === undefined ? null : (
        <p role="alert" className={css.problem}>
          {own}
        </p>
      )}
      <div className="row">
        <Button
          ref={add}
          size="xs"
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
          disabled={full}
          onClick={() => append(newRule())}
        >
          {t('rule.add')}
        </Button>
        {depth < MAX_DEPTH ? (
          <Button size="xs" variant="subtle" disabled={full} onClick={() => append(newGroup())}>
            {t('rule.add_group')}
          </Button>
        ) : null}
        {full && depth === 1 ? <span className="dim">{t('rule.full', { n: MAX_RULES })}</span> : null}
      </div>
    </fieldset>
  );
}

interface MemberProps {
  rule: Rule | RuleGroup;
  subject: Subject;
  eventType: string | null;
  path: string;
  depth: number;
  number: number;
  onChange(next: Rule | RuleGroup): void;
}

/** A rule or a group in a group. */
function Member({ rule, onChange, number, ...rest }: MemberProps) {
  const { offer } = useRules();
  const shown = readRule(rule, rest.subject, offer.customFields);
  if (shown.as === 'unknown') return <Unknown value={rule} />;
  if (shown.as === 'group')
    return <Group {...rest} label={t('rule.group')} group={shown.group} depth={rest.depth + 1} onChange={onChange} />;
  return (
    <RuleRow {...rest} shown={shown} number={number} onChange={onChange}>
      {shown.rule.where === undefined ? null : (
        <Group
          label={t('rule.where.title')}
          group={shown.rule.where}
          subject="data"
          eventType={shown.as === 'rule' ? eventTypeOf(shown.field) : null}
          path={`${rest.path}.where`}
          depth={rest.depth + 1}
          onChange={(where) => onChange(withWhere(shown.rule, where))}
        />
      )}
    </RuleRow>
  );
}

function eventTypeOf({ history }: Field): string | null {
  return history?.source.of === 'events' ? history.source.eventType : null;
}
