import {
  Checkbox,
  Input as MantineInput,
  NativeSelect,
  PasswordInput,
  Skeleton,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core';
import { lazy, Suspense } from 'react';
import { ApiError } from '../../api/errors.ts';
import { t } from '../../i18n/i18n.ts';
import css from '../RecordForm.module.css';
import { useNarrowed } from './LongChoice.tsx';
import { twoReadings } from './numbers.ts';
import { type Field, type FieldContext, type InputProps, isPrecise, type Values, wordsOf } from './values.ts';

/** Throws the server's error for an ambiguous number. */
export function refuseTwoReadings(fields: readonly Field[], values: Values, { currency }: FieldContext): void {
  const problems = fields.flatMap((field) => {
    if ((field.type !== 'number' && field.type !== 'money') || isPrecise(field, currency)) return [];
    const text = String(values[field.name] ?? '');
    const readings = twoReadings(text);
    if (readings === null) return [];
    return [{ field: field.name, message: t('form.two_readings', { text, a: readings[0], b: readings[1] }) }];
  });
  if (problems.length > 0) throw new ApiError(422, 'validation_failed', problems[0]?.message ?? '', problems);
}

const RichText = lazy(() => import('../rich/RichText.tsx').then((module) => ({ default: module.RichText })));
const PlaceInput = lazy(() => import('../pick/PlaceInput.tsx').then((module) => ({ default: module.PlaceInput })));

/** As high as an empty editor. A field that takes the focus would lose it to the editor. */
function Loading({ label }: { label: string }) {
  return (
    <MantineInput.Wrapper label={label} labelElement="div">
      <Skeleton height={190} />
    </MantineInput.Wrapper>
  );
}

/** One field of a form. */
export function Input(props: InputProps) {
  const { field, value, error, context, onChange } = props;
  const { choices = [] } = field;
  const chosen = new Set(field.type === 'choices' ? wordsOf(String(value)) : [String(value)]);
  const [shown, search] = useNarrowed(choices, chosen, field.label);
  if (field.custom !== undefined) return <field.custom.Input {...props} />;
  const { label, type, help, required } = field;
  const text = String(value);
  const zone = type === 'moment' ? t('field.zone', { zone: context.time_zone }) : undefined;
  const description = [help, zone].filter((part) => part !== undefined).join(' ') || undefined;
  const common = { label, description, error, required, name: field.name };
  const onText = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value);
  switch (type) {
    case 'switch':
      return (
        <Switch
          label={label}
          description={help}
          error={error}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'choice':
      return (
        <div>
          <NativeSelect {...common} data={shown} value={text} onChange={onText} />
          {search}
        </div>
      );
    case 'choices':
      return (
        <Checkbox.Group
          {...common}
          value={[...chosen]}
          onChange={(next) => onChange(next.join(','))}
          classNames={{ error: css.problem ?? '' }}
        >
          {search}
          <div className={css.choices}>
            {shown.map((choice) => (
              <Checkbox key={choice.value} size="xs" value={choice.value} label={choice.label} />
            ))}
          </div>
        </Checkbox.Group>
      );
    case 'code':
      return (
        <Textarea
          {...common}
          autosize
          minRows={12}
          maxRows={32}
          spellCheck={false}
          value={text}
          onChange={onText}
          classNames={{ input: css.code ?? '' }}
        />
      );
    case 'long':
      return <Textarea {...common} rows={5} value={text} onChange={onText} />;
    case 'rich':
      return (
        <Suspense fallback={<Loading label={label} />}>
          <RichText {...props} />
        </Suspense>
      );
    case 'words':
      return <Textarea {...common} rows={2} value={text} onChange={onText} />;
    case 'pick':
    case 'picks':
      return (
        <Suspense fallback={<TextInput {...common} value="" readOnly />}>
          <PlaceInput {...props} places={field.places ?? 'country'} />
        </Suspense>
      );
    case 'password':
      return (
        <PasswordInput
          {...common}
          autoComplete="new-password"
          value={text}
          onChange={onText}
          visibilityToggleButtonProps={{ 'aria-label': t('action.show_password') }}
        />
      );
    case 'money':
    case 'number':
      return (
        <TextInput
          {...common}
          inputMode="decimal"
          autoComplete="off"
          rightSection={type === 'money' ? <span className={css.unit}>{context.currency}</span> : undefined}
          rightSectionWidth={type === 'money' ? 48 : undefined}
          value={text}
          onChange={onText}
        />
      );
    default: {
      const types: Record<string, string> = { day: 'date', moment: 'datetime-local', email: 'email', url: 'url' };
      return <TextInput {...common} type={types[type] ?? 'text'} autoComplete="off" value={text} onChange={onText} />;
    }
  }
}
