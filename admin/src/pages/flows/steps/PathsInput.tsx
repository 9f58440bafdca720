import { ActionIcon, Button, Input } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { freeKey } from './free-key.ts';
import { KeyInput } from './KeyInput.tsx';
import { RulesInput, type RulesProps } from './RulesInput.tsx';
import css from './steps.module.css';

interface Path {
  key: string;
  conditions?: unknown;
}
const NONE = { operator: 'and', rules: [] };

/** The paths of a branch; a run takes the first whose conditions hold. */
export function PathsInput({ label, error, value, eventType, errors = [], onChange }: RulesProps) {
  const paths = (Array.isArray(value) ? value : []) as Path[];
  const keys = paths.map(({ key }) => key);
  const set = (at: number, change: Partial<Path>): void =>
    onChange(paths.map((one, i) => (i === at ? { ...one, ...change } : one)));
  const swap = (at: number): void => {
    const [one, before] = [paths[at]!, paths[at - 1]!];
    onChange(paths.with(at - 1, one).with(at, before));
  };
  return (
    <Input.Wrapper label={label} description={t('builder.paths.help')} error={error} labelElement="div">
      <ol className={css.paths}>
        {paths.map(({ key, conditions }, i) => (
          <li key={key} className={css.path}>
            <div className={css.pathHead}>
              <KeyInput
                label={t('builder.key')}
                value={key}
                onChange={(next) => (keys.includes(next) || next === 'else' ? undefined : set(i, { key: next }))}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('builder.earlier', { key })}
                disabled={i === 0}
                onClick={() => swap(i)}
              >
                <Icon name="arrow-up" size={16} />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('builder.remove_key', { key })}
                disabled={paths.length === 1}
                onClick={() => onChange(paths.filter((_, at) => at !== i))}
              >
                <Icon name="x" size={16} />
              </ActionIcon>
            </div>
            <RulesInput
              label={t('builder.conditions_of', { key })}
              eventType={eventType}
              errors={errors.filter(({ field }) => field.includes(`paths.${i}.`))}
              error={undefined}
              value={conditions ?? NONE}
              onChange={(next) => set(i, { conditions: next ?? NONE })}
            />
          </li>
        ))}
      </ol>
      <Button
        size="xs"
        variant="default"
        disabled={paths.length >= 20}
        onClick={() => onChange([...paths, { key: freeKey(keys), conditions: NONE }])}
      >
        {t('builder.add_path')}
      </Button>
    </Input.Wrapper>
  );
}
