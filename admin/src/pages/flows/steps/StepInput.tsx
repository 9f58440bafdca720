import { Checkbox, NativeSelect, Switch, Textarea, TextInput } from '@mantine/core';
import { t, tOf } from '../../../i18n/i18n.ts';
import { useNarrowed } from '../../../ui/form/LongChoice.tsx';
import { numberOf } from '../../../ui/form/numbers.ts';
import { wordsOf } from '../../../ui/form/values.ts';
import { Pick } from '../../../ui/pick/Pick.tsx';
import { usePlaces } from '../../../ui/pick/places.ts';
import { type Choice, useChoices } from './choices.ts';
import { DurationInput, UNITS } from './DurationInput.tsx';
import type { StepField } from './forms.ts';
import { PairsInput } from './PairsInput.tsx';
import { PathsInput } from './PathsInput.tsx';
import { RulesInput } from './RulesInput.tsx';
import css from './steps.module.css';
import { VariantsInput } from './VariantsInput.tsx';

export interface StepInputProps {
  field: StepField;
  value: unknown;
  error: string | undefined;
  /** The event whose data conditions may refer to. */
  eventType: string | null;
  /** Errors of the server about parts of the field. */
  errors: { field: string; message: string }[];
  /** undefined removes the field. */
  onChange(value: unknown): void;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** One field of a step's configuration. */
export function StepInput({ field, value, error, eventType, errors, onChange }: StepInputProps) {
  const { label, help, required, input } = field;
  const common = {
    label: t(label),
    ...(help === undefined ? {} : { description: t(help) }),
    error,
    required: required ?? false,
  };
  const text = value === undefined || value === null ? '' : String(value);
  const onText = ({ currentTarget }: { currentTarget: { value: string } }): void =>
    onChange(currentTarget.value === '' ? undefined : currentTarget.value);
  const chosen = (choices: Choice[], empty: string | null) => (
    <NativeSelect
      {...common}
      value={text}
      data={[...(empty === null ? [] : [{ value: '', label: empty }]), ...choices]}
      onChange={onText}
    />
  );
  switch (input) {
    case 'long':
      return <Textarea {...common} autosize minRows={3} maxRows={10} value={text} onChange={onText} />;
    case 'code':
      return (
        <Textarea
          {...common}
          autosize
          minRows={8}
          maxRows={20}
          spellCheck={false}
          classNames={{ input: css.code ?? '' }}
          value={text}
          onChange={onText}
        />
      );
    case 'number':
      return (
        <TextInput
          {...common}
          inputMode="decimal"
          value={text}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.value === '' ? undefined : numberOf(currentTarget.value))
          }
        />
      );
    case 'switch':
      return (
        <Switch
          label={common.label}
          description={common.description}
          error={error}
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked ? true : undefined)}
        />
      );
    case 'clock':
      return <TextInput {...common} type="time" value={text} onChange={onText} />;
    case 'zone':
      return <ZoneInput {...common} value={text} onChange={onChange} />;
    case 'unit':
      return chosen(
        UNITS.map((unit) => ({ value: unit, label: tOf('flow.unit', unit) })),
        null,
      );
    case 'method':
      return chosen(
        METHODS.map((method) => ({ value: method, label: method })),
        'POST',
      );
    case 'since':
      return chosen(
        ['step_entry', 'flow_entry'].map((since) => ({ value: since, label: tOf('builder.since', since) })),
        t('builder.since.step_entry'),
      );
    case 'weekdays':
      return (
        <Checkbox.Group {...common} value={Array.isArray(value) ? value.map(String) : []} onChange={onWords}>
          <div className={css.days}>
            {DAYS.map((day) => (
              <Checkbox key={day} size="xs" value={day} label={tOf('builder.day', day)} />
            ))}
          </div>
        </Checkbox.Group>
      );
    case 'words':
      return (
        <TextInput
          {...common}
          value={Array.isArray(value) ? value.join(', ') : ''}
          onChange={({ currentTarget }) => onWords(wordsOf(currentTarget.value))}
        />
      );
    case 'event':
    case 'template':
    case 'list':
    case 'flow':
      return <Named of={input} common={common} text={text} onChange={onChange} />;
    case 'duration':
      return <DurationInput {...common} value={value} onChange={onChange} />;
    case 'headers':
      return <PairsInput {...common} texts value={value} onChange={onChange} />;
    case 'pairs':
      return <PairsInput {...common} value={value} onChange={onChange} />;
    case 'rules':
      return <RulesInput {...common} eventType={eventType} errors={errors} value={value} onChange={onChange} />;
    case 'paths':
      return <PathsInput {...common} eventType={eventType} errors={errors} value={value} onChange={onChange} />;
    case 'variants':
      return <VariantsInput {...common} value={value} onChange={onChange} />;
    default:
      return <TextInput {...common} value={text} onChange={onText} />;
  }

  function onWords(words: string[]): void {
    onChange(words.length === 0 ? undefined : words);
  }
}

interface Common {
  label: string;
  description?: string;
  error: string | undefined;
  required: boolean;
}
/** A time zone, or the one of each contact. */
function ZoneInput(props: Common & { value: string; onChange(value: unknown): void }) {
  const choices = [{ value: 'contact', label: t('builder.timezone.contact') }, ...usePlaces('zone')];
  return <Pick {...props} choices={choices} onChange={(zone) => props.onChange(zone === '' ? undefined : zone)} />;
}

interface NamedProps {
  of: 'event' | 'template' | 'list' | 'flow';
  common: Common;
  text: string;
  onChange(value: unknown): void;
}

/** A choice among the shop's records; the chosen one stays available even if it no longer exists. */
function Named({ of, common, text, onChange }: NamedProps) {
  const choices = useChoices(of);
  const known = text === '' || choices.some(({ value }) => value === text);
  const [shown, search] = useNarrowed(choices, new Set([text]), common.label);
  const empty = of === 'template' ? t('builder.template.own') : '–';
  return (
    <div>
      <NativeSelect
        {...common}
        value={text}
        data={[
          { value: '', label: empty },
          ...(known ? [] : [{ value: text, label: of === 'event' ? text : `#${text}` }]),
          ...shown,
        ]}
        onChange={({ currentTarget: { value } }) =>
          onChange(value === '' ? undefined : of === 'event' ? value : Number(value))
        }
      />
      {search}
    </div>
  );
}
