import '../templates/texts.ts';
import type { BodyOf } from '../../api/client.ts';
import { t } from '../../i18n/i18n.ts';
import type { InputProps, Values } from '../../ui/form/values.ts';
import type { FieldGroup } from '../../ui/RecordForm.tsx';
import { useBrandKit } from '../templates/editor/brand.ts';
import { ColorField } from '../templates/editor/ColorField.tsx';
import css from './forms.module.css';
import type { SignupForm } from './queries.ts';

type FormBody = BodyOf<'/forms', 'post'>;
type Look = NonNullable<FormBody['look']>;
/** The body with the fields of the appearance beside the others. */
export type Typed = Omit<FormBody, 'look'> & { [Name in keyof Look & string as `look_${Name}`]: Look[Name] };

const NAMES = ['title', 'text', 'button', 'color', 'logo_url'] as const;
const PREFIX = 'look_';

/** The form's appearance; its fields are next to the others, under names of their own. */
export function lookGroup(): FieldGroup<Typed> {
  return {
    title: t('form.look'),
    fields: [
      { name: 'look_title', label: t('form.look.title'), type: 'text', help: t('form.look.title.help') },
      { name: 'look_text', label: t('form.look.text'), type: 'text' },
      { name: 'look_button', label: t('form.look.button'), type: 'text', help: t('form.look.button.help') },
      {
        name: 'look_color',
        label: t('form.look.color'),
        type: 'custom',
        custom: { Input: LookColor, bodyOf: (value) => (value === '' ? null : value) },
      },
      { name: 'look_logo_url', label: t('form.look.logo'), type: 'url', help: t('form.look.logo.help') },
    ],
  };
}

function LookColor({ field, value, error, onChange }: InputProps) {
  const kit = useBrandKit();
  return (
    <div className={css.color}>
      <ColorField
        label={field.label}
        value={value === '' ? undefined : String(value)}
        fallback={kit.data?.style.button ?? '#efefef'}
        onChange={(color) => onChange(color ?? '')}
      />
      <span className="dim">{t('form.look.color.help')}</span>
      {error === undefined ? null : (
        <p role="alert" className={css.problem}>
          {error}
        </p>
      )}
    </div>
  );
}

export function lookValues(look: SignupForm['look'] | null): Values {
  return Object.fromEntries(NAMES.map((name) => [PREFIX + name, look?.[name] ?? '']));
}

/** Combines the fields of the appearance into one, where any is set. */
export function withLook({ look_title, look_text, look_button, look_color, look_logo_url, ...body }: Typed): FormBody {
  const look = { title: look_title, text: look_text, button: look_button, color: look_color, logo_url: look_logo_url };
  return Object.values(look).every((one) => one === undefined) ? body : { ...body, look };
}

/** `look.color` belongs to the field of the color. */
export function formFieldOf(name: string, _values: Values, whole: string): string {
  const part = /^[/.]?look[/.](\w+)/.exec(whole)?.[1];
  return part === undefined ? name : PREFIX + part;
}
