import { useDebouncedValue } from '@mantine/hooks';
import type { RuleGroup } from '../../../../src/rules/language.ts';
import { t } from '../../i18n/i18n.ts';
import { isComplete } from '../../rules/problems.ts';
import { useFormat } from '../../ui/format.tsx';
import { textOf } from '../../ui/messages.tsx';
import { useCount, useProducts } from './queries.ts';

const PAUSE_MS = 350;

/** How many products the rules select now, while they are edited. */
export function LiveCount({ rules: text }: { rules: string }) {
  const format = useFormat();
  const [settled] = useDebouncedValue(text, PAUSE_MS);
  const rules = JSON.parse(settled) as RuleGroup;
  const complete = isComplete(rules, useProducts());
  const { data, error, isFetching } = useCount(complete ? rules : null);
  const waits = isFetching || settled !== text;
  if (error !== null) return <p role="alert">{textOf(error)}</p>;
  return (
    <p role="status" aria-busy={waits} className={complete && !waits ? undefined : 'dim'}>
      {!complete
        ? t('collection.incomplete')
        : data === undefined
          ? null
          : data === null
            ? t('collection.uncounted')
            : t('collection.selects', { n: data, shown: format.number(data) })}
    </p>
  );
}
