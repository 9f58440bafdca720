import { Button, CloseButton, Textarea, TextInput } from '@mantine/core';
import { t } from '../../i18n/i18n.ts';
import type { InputProps } from '../../ui/form/values.ts';
import { useFormat } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import type { Campaign } from './queries.ts';
import css from './Variants.module.css';

export type Variant = Campaign['variants'][number];

/** As many as the API takes, and the keys that new ones get. */
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const HEAVIEST = 1_000_000;

export function variantsOf(value: unknown): Variant[] {
  return JSON.parse(String(value)) as Variant[];
}

export const EmailVariants = (props: InputProps) => <Variants {...props} parts={['subject', 'from', 'content']} />;
export const SmsVariants = (props: InputProps) => <Variants {...props} parts={['content']} />;

type Part = 'subject' | 'from' | 'content';
const LABELS = { subject: 'template.subject', from: 'campaign.from', content: 'template.content' } as const;

/** What differs from the campaign's own content, and for how many; kept as JSON. */
function Variants({ field, value, error, onChange, parts }: InputProps & { parts: Part[] }) {
  const format = useFormat();
  const variants = variantsOf(value);
  const set = (next: Variant[]): void => onChange(JSON.stringify(next));
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  const free = KEYS.filter((key) => !variants.some((variant) => variant.key === key));
  const add = (n: number): void => set([...variants, ...free.slice(0, n).map((key) => ({ key, weight: 1 }))]);
  return (
    <div className={css.variants}>
      {error === undefined ? null : (
        <p role="alert" className={css.problem}>
          {error}
        </p>
      )}
      {variants.map((variant, i) => {
        const { key, weight } = variant;
        const change = (part: Part, text: string): void => {
          const { [part]: _before, ...rest } = variant;
          set(variants.with(i, text === '' ? rest : { ...rest, [part]: text }));
        };
        return (
          <fieldset key={key} className={css.variant}>
            <legend>{t('campaign.variant.name', { key })}</legend>
            <CloseButton
              className={css.remove}
              aria-label={t('campaign.variant.remove', { key })}
              onClick={() => set(variants.toSpliced(i, 1))}
            />
            <TextInput
              label={t('campaign.variant.weight')}
              description={
                total === 0 ? undefined : t('campaign.variant.share', { share: format.percent(round(weight / total)) })
              }
              inputMode="numeric"
              autoComplete="off"
              value={String(weight)}
              onChange={(event) => set(variants.with(i, { ...variant, weight: wholeOf(event.currentTarget.value) }))}
            />
            {parts.map((part) => {
              const shared = {
                label: t(LABELS[part]),
                placeholder: t('campaign.variant.same'),
                value: variant[part] ?? '',
                onChange: (event: { currentTarget: { value: string } }) => change(part, event.currentTarget.value),
              };
              return part === 'content' ? (
                <Textarea key={part} {...shared} autosize minRows={3} maxRows={20} spellCheck={false} />
              ) : (
                <TextInput key={part} {...shared} autoComplete="off" />
              );
            })}
          </fieldset>
        );
      })}
      <p className="dim">{field.help}</p>
      <div>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
          disabled={free.length === 0}
          // One alone would be compared with nothing.
          onClick={() => add(variants.length === 0 ? 2 : 1)}
        >
          {t(variants.length === 0 ? 'campaign.variants.begin' : 'campaign.variant.add')}
        </Button>
      </div>
    </div>
  );
}

/** To a thousandth. */
function round(fraction: number): number {
  return Math.round(fraction * 1_000) / 1_000;
}

function wholeOf(text: string): number {
  return Math.min(HEAVIEST, Number(text.replace(/\D/g, '')));
}
