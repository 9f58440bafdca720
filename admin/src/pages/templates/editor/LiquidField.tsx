import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useRef, useState } from 'react';
import { ok } from '../../../api/client.ts';
import { useShop } from '../../../app/session.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useCustomFields } from '../../custom-fields/queries.ts';
import css from './editor.module.css';

interface LiquidFieldProps {
  label: string;
  value: string;
  onChange(value: string): void;
  help?: string;
  error?: string | undefined;
  lines?: number;
  maxLength: number;
  /** Buttons for bold, italic, links and lists. */
  formats?: boolean;
}

/** A text field into which variables can be inserted at the cursor. */
export function LiquidField({ label, value, onChange, help, error, lines, maxLength, formats }: LiquidFieldProps) {
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const [open, setOpen] = useState(false);
  /** Wraps the selection in the text, or replaces it. */
  const write = (before: string, after = '', placeholder = ''): void => {
    const input = field.current;
    const from = input?.selectionStart ?? value.length;
    const to = input?.selectionEnd ?? from;
    const inside = value.slice(from, to) || placeholder;
    onChange(`${value.slice(0, from)}${before}${inside}${after}${value.slice(to)}`.slice(0, maxLength));
    const at = from + before.length;
    requestAnimationFrame(() => {
      input?.focus();
      input?.setSelectionRange(at, at + inside.length);
    });
  };
  const common = {
    label,
    description: help,
    error,
    value,
    maxLength,
    ref: field as RefObject<never>,
    spellCheck: true,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  };
  return (
    <div className={css.liquid}>
      {lines === undefined ? <TextInput {...common} /> : <Textarea {...common} rows={lines} />}
      <div className={css.formats}>
        {formats ? (
          <>
            <Button size="compact-sm" variant="default" onClick={() => write('**', '**', t('editor.format.sample'))}>
              {t('editor.format.bold')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => write('*', '*', t('editor.format.sample'))}>
              {t('editor.format.italic')}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => write('[', '](https://)', t('editor.format.sample'))}
            >
              {t('editor.format.link')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => write('\n- ')}>
              {t('editor.format.list')}
            </Button>
          </>
        ) : null}
        <Button size="compact-sm" variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
          {t('editor.variable')}
        </Button>
      </div>
      {open ? (
        <VariablePicker
          onPick={(text) => {
            write(text);
            setOpen(false);
          }}
        />
      ) : null}
    </div>
  );
}

function VariablePicker({ onPick }: { onPick(text: string): void }) {
  const { api, company } = useShop();
  const { data } = useQuery({
    queryKey: [company.id, 'templates', 'variables'],
    queryFn: ({ signal }) => ok(api.GET('/templates/variables', { signal })),
  });
  const [name, setName] = useState('contact.first_name');
  const [fallback, setFallback] = useState('');
  const { data: customFields = [] } = useCustomFields('customer');
  const labels = new Map(customFields.map((field) => [`customer.custom.${field.key}`, field.name]));
  const names = (data?.variables ?? ['contact.first_name']).map((value) => ({
    value,
    label: labels.get(value) ?? value,
  }));
  const isCustom = ({ value }: { value: string }): boolean => labels.has(value);
  const quoted = fallback.replaceAll('"', '').trim();
  return (
    <div className={css.picker}>
      <NativeSelect
        size="xs"
        label={t('editor.variable.name')}
        data={[
          ...names.filter((one) => !isCustom(one)),
          ...(labels.size === 0 ? [] : [{ group: t('nav.custom_fields'), items: names.filter(isCustom) }]),
        ]}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        size="xs"
        label={t('editor.variable.fallback')}
        description={t('editor.variable.fallback.help')}
        value={fallback}
        onChange={(event) => setFallback(event.currentTarget.value)}
      />
      <Button
        size="xs"
        onClick={() => onPick(quoted === '' ? `{{ ${pathOf(name)} }}` : `{{ ${pathOf(name)} | default: "${quoted}" }}`)}
      >
        {t('editor.variable.insert')}
      </Button>
    </div>
  );
}

/** A name with characters that a path may not have is put in brackets. */
function pathOf(name: string): string {
  const prefix = 'contact.properties.';
  const own = name.startsWith(prefix) ? name.slice(prefix.length) : null;
  if (own === null || /^[A-Za-z_][\w-]*$/.test(own)) return name;
  return `contact.properties["${own.replaceAll('"', '')}"]`;
}
