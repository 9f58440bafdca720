import { useDebouncedValue } from '@mantine/hooks';
import type { RuleGroup } from '../../../../src/rules/language.ts';
import { t } from '../../i18n/i18n.ts';
import { isComplete } from '../../rules/problems.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Section } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import { textOf } from '../../ui/messages.tsx';
import { nameOf } from '../contacts/queries.ts';
import { usePreview } from './queries.ts';
import css from './segments.module.css';

const PAUSE_MS = 350;

/** How many contacts the rules select now, with some of them, while the rules are edited. */
export function LivePreview({ conditions }: { conditions: string }) {
  const format = useFormat();
  const [settled] = useDebouncedValue(conditions, PAUSE_MS);
  const rules = JSON.parse(settled) as RuleGroup;
  const complete = isComplete(rules, 'contact');
  const { data, error, isFetching } = usePreview(complete ? rules : null);
  const waits = isFetching || settled !== conditions;
  return (
    <Section title={t('segment.preview')}>
      <p role="status" className={css.count} data-waits={waits || !complete || undefined} aria-busy={waits}>
        {data === undefined || error !== null ? null : (
          <>
            <strong className="num">
              {t('segment.contacts', { n: data.count, shown: format.number(data.count) })}
            </strong>{' '}
            <span className="dim num">
              {t('segment.took', { seconds: format.number(Number(data.seconds.toFixed(2))) })}
            </span>
          </>
        )}
        {!complete ? <span className="dim">{t('segment.incomplete')}</span> : null}
      </p>
      {error === null ? null : <p className={css.problem}>{textOf(error)}</p>}
      {data === undefined || data.sample.length === 0 || error !== null ? null : (
        <>
          <p className="dim">{t('segment.sample')}</p>
          <ul className="plain">
            {data.sample.map((member) => (
              <li key={member.contact_id} className="break">
                <Anchor path={`contacts/${member.contact_id}`}>{nameOf(member)}</Anchor>
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}
