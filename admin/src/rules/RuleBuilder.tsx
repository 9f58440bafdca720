import type { RuleGroup } from '../../../src/rules/language.ts';
import { type TextKey, t } from '../i18n/i18n.ts';
import { RulesContext } from './context.ts';
import { countRules, MAX_RULES, NO_RULES } from './edit.ts';
import { isProducts, type Subject } from './fields.ts';
import { Group } from './Group.tsx';
import type { Offer } from './offer.ts';
import { placesOf, problemsOf } from './problems.ts';
import { RuleSentence } from './RuleSentence.tsx';
import { isShownGroup } from './read.ts';
import css from './rules.module.css';
import { Unknown } from './Unknown.tsx';
import './texts.ts';

export interface RuleBuilderProps {
  /** The rules in the API's form; null or undefined for none. */
  value: unknown;
  onChange(next: RuleGroup): void;
  /** `contact` for segments, products for collections; `event` for flows, with the type of the event if rules may refer to its data. */
  subject: Subject;
  eventType?: string | null;
  offer: Offer;
  /** Errors of the API about these rules. */
  errors?: { field: string; message: string }[];
  /** Shows empty fields as problems: after somebody tried to save. */
  strict?: boolean;
  label: string;
}

/** The text where there is no rule. */
function noneOf(subject: Subject): TextKey {
  if (isProducts(subject)) return 'rule.none.product';
  return subject === 'contact' ? 'rule.none' : 'rule.none.always';
}

/** Rules in nested groups. Unknown rules are shown as JSON and kept unchanged. */
export function RuleBuilder(props: RuleBuilderProps) {
  const { subject, offer, eventType = null, errors = [], strict = false } = props;
  const value = props.value ?? NO_RULES;
  if (!isShownGroup(value)) return <Unknown value={value} />;
  const context = {
    offer,
    errors: placesOf(errors),
    problems: problemsOf(value, subject),
    strict,
    full: countRules(value) >= MAX_RULES,
  };
  return (
    <RulesContext value={context}>
      <div className={css.builder}>
        <Group
          label={props.label}
          group={value}
          subject={subject}
          eventType={eventType}
          path=""
          depth={1}
          onChange={props.onChange}
        />
        {value.rules.length === 0 ? (
          <p className="dim">{t(noneOf(subject))}</p>
        ) : (
          <p className={css.sentence} data-rule-sentence>
            <span className="visually-hidden">{t('rule.reads')}: </span>
            <RuleSentence value={value} subject={subject} offer={offer} />
          </p>
        )}
      </div>
    </RulesContext>
  );
}
