import { isGroup, type Rule, type RuleGroup } from '../../../../src/rules/language.ts';
import { useId } from '../../app/nav.ts';
import { t } from '../../i18n/i18n.ts';
import { type Offer, useOffer } from '../../rules/offer.ts';
import { RuleSentence } from '../../rules/RuleSentence.tsx';
import { Anchor } from '../../ui/Anchor.tsx';
import { Loaded, Section } from '../../ui/DetailPage.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { nameOf, useContact } from '../contacts/queries.ts';
import { useExplanation, useSegment } from './queries.ts';
import css from './segments.module.css';
import '../../rules/texts.ts';

/** Why a person is or is not in a segment: each rule, whether it holds, and the person's value. */
export function WhyPage() {
  const id = useId();
  const contactId = useId('contact');
  const contact = useContact(contactId);
  const explanation = useExplanation(id, contactId);
  const offer = useOffer();
  return (
    <Loaded query={useSegment(id)}>
      {(segment) => {
        const name = contact.data === undefined ? `#${contactId}` : nameOf(contact.data);
        return (
          <>
            <PageHeader title={t('segment.why.title', { name })} back={{ path: `segments/${id}`, text: segment.name }}>
              <Anchor path={`contacts/${contactId}`}>{t('segment.why.contact')}</Anchor>
            </PageHeader>
            <Loaded query={explanation}>
              {({ member, rules }) => {
                const found = new Map(rules.map((rule) => [rule.path, rule]));
                return (
                  <Section title={segment.name}>
                    <p className={css.verdict} data-holds={member}>
                      <Icon name={member ? 'check' : 'x'} />
                      <strong>{member ? t('segment.why.in', { name }) : t('segment.why.out', { name })}</strong>
                    </p>
                    <Rules group={segment.conditions as RuleGroup} path="" found={found} offer={offer} />
                  </Section>
                );
              }}
            </Loaded>
          </>
        );
      }}
    </Loaded>
  );
}

interface Explained {
  path: string;
  holds: boolean;
  value?: unknown;
}

interface RulesProps {
  group: RuleGroup;
  path: string;
  found: Map<string, Explained>;
  offer: Offer;
}

function Rules({ group, path, found, offer }: RulesProps) {
  if (group.rules.length === 0) return <p className="dim">{t('rule.none')}</p>;
  return (
    <>
      {group.rules.length > 1 ? <p className="dim">{group.operator === 'or' ? t('rule.any') : t('rule.all')}</p> : null}
      <ul className={css.explained}>
        {group.rules.map((rule, i) => {
          const place = `${path}rules.${i}`;
          const one = found.get(place);
          return (
            <li key={place}>
              <span className={css.mark} data-holds={one?.holds}>
                <Icon name={one?.holds ? 'check' : 'x'} size={16} />
                <span className="visually-hidden">{one?.holds ? t('segment.why.holds') : t('segment.why.fails')}</span>
              </span>
              <div className={css.said}>
                {isGroup(rule) ? (
                  <Rules group={rule} path={`${place}.`} found={found} offer={offer} />
                ) : (
                  <Said rule={rule} value={one?.value} offer={offer} />
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Said({ rule, value, offer }: { rule: Rule; value: unknown; offer: Offer }) {
  return (
    <>
      <span className="break">
        <RuleSentence value={{ rules: [rule] }} subject="contact" offer={offer} />
      </span>
      <span className="dim break">{t('segment.why.value', { value: shownValue(value) })}</span>
    </>
  );
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return '–';
  if (Array.isArray(value)) return value.map(shownValue).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
