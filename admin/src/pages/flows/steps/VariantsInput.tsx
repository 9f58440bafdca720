import { ActionIcon, Button, Input, TextInput } from '@mantine/core';
import { t } from '../../../i18n/i18n.ts';
import { numberOf } from '../../../ui/form/numbers.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { freeKey } from './free-key.ts';
import { KeyInput } from './KeyInput.tsx';
import type { PartProps } from './part.ts';
import css from './steps.module.css';

interface Variant {
  key: string;
  weight: number | string;
}

/** The branches of a split, each with its weight and the resulting share. */
export function VariantsInput({ label, error, value, onChange }: PartProps) {
  const variants = (Array.isArray(value) ? value : []) as Variant[];
  const sum = variants.reduce((all, { weight }) => all + (Number(weight) || 0), 0);
  const set = (at: number, change: Partial<Variant>): void =>
    onChange(variants.map((one, i) => (i === at ? { ...one, ...change } : one)));
  const keys = variants.map(({ key }) => key);
  return (
    <Input.Wrapper label={label} error={error} labelElement="div">
      <div className={css.rows}>
        {variants.map(({ key, weight }, i) => (
          <div key={key} className={css.variant}>
            <KeyInput
              label={t('builder.key')}
              value={key}
              onChange={(next) => (keys.includes(next) ? undefined : set(i, { key: next }))}
            />
            <TextInput
              aria-label={t('builder.weight_of', { key })}
              inputMode="numeric"
              value={String(weight)}
              onChange={({ currentTarget }) => set(i, { weight: numberOf(currentTarget.value) })}
            />
            <span className="dim num">{sum > 0 ? Math.round((Number(weight) / sum) * 100) : 0} %</span>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('builder.remove_key', { key })}
              disabled={variants.length === 1}
              onClick={() => onChange(variants.filter((_, at) => at !== i))}
            >
              <Icon name="x" size={16} />
            </ActionIcon>
          </div>
        ))}
        <Button
          size="xs"
          variant="default"
          disabled={variants.length >= 20}
          onClick={() => onChange([...variants, { key: freeKey(keys), weight: 50 }])}
        >
          {t('builder.add_variant')}
        </Button>
      </div>
    </Input.Wrapper>
  );
}
