import { TextInput } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { t } from '../../i18n/i18n.ts';
import { Icon } from '../Icon.tsx';
import css from './Pick.module.css';

export interface Choice {
  value: string;
  label: string;
  /** A second name, by which it is found too. */
  also?: string;
}

export interface PickProps {
  label: string;
  /** The label is only read out. */
  hidden?: boolean;
  description?: ReactNode;
  error?: string | undefined;
  required?: boolean | undefined;
  name?: string;
  size?: 'xs' | 'sm';
  placeholder?: string;
  value: string;
  choices: readonly Choice[];
  /** The choices are what was found by the text: they are not narrowed again. */
  found?: boolean;
  /** The name of the value, where the choices lack it. */
  valueLabel?: string;
  onText?(text: string): void;
  /** With a text that is no choice when the field is left: the server says what is wrong with it. */
  onChange(value: string): void;
  /** In place of `onChange` for a field that collects several: with a choice, or with what is typed when Enter is pressed. */
  onAdd?(value: string): void;
  /** What is typed is added when the field is left, too; otherwise it stays there. */
  addsOnLeave?: true;
}

/** As many are shown; typing narrows the others. */
const MOST = 60;

/**
 * A choice from a long list, by its name: typing narrows the list, arrows and Enter choose, and a name or code that is typed as a whole
 * is chosen without the list.
 */
export function Pick(props: PickProps) {
  const { label, hidden, value, choices, found = false, onText, onChange, onAdd } = props;
  const list = useId();
  /** Null while nothing is typed. */
  const [text, setText] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const typed = (text ?? '').trim().toLowerCase();
  const shown = (found || typed === '' ? choices : choices.filter((one) => matches(one, typed))).slice(0, MOST);
  const known = choices.find((one) => one.value === value)?.label ?? props.valueLabel ?? value;
  const type = (next: string): void => {
    setText(next);
    setOpen(true);
    setActive(-1);
    onText?.(next);
    if (onAdd === undefined && (!found || next.trim() === '')) onChange(exact(choices, next)?.value ?? next.trim());
  };
  const choose = (choice: Choice): void => {
    setText(null);
    setOpen(false);
    setActive(-1);
    onText?.('');
    (onAdd ?? onChange)(choice.value);
  };
  const close = (): void => {
    setText(null);
    setOpen(false);
    setActive(-1);
    onText?.('');
  };
  const add = (): void => {
    const added = exact(choices, typed)?.value ?? (text ?? '').trim();
    close();
    onAdd?.(added);
  };
  const leave = (): void => {
    if (onAdd === undefined) close();
    else if (props.addsOnLeave && typed !== '') add();
    else setOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setOpen(true);
      if (shown.length > 0) setActive((active + step + (active < 0 && step < 0 ? 1 : 0) + shown.length) % shown.length);
      return;
    }
    if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      close();
    }
    const first = shown[active] ?? (typed === '' ? undefined : (exact(shown, typed) ?? shown[0]));
    if (event.key !== 'Enter') return;
    if (isOpen && first !== undefined) choose(first);
    else if (onAdd !== undefined && typed !== '') add();
    else return;
    // Enter would submit the form around it.
    event.preventDefault();
  };
  // A name that was typed as a whole leaves nothing to choose.
  const isWhole = shown.length === 1 && !found && exact(shown, typed) !== undefined;
  const isShown = isOpen && shown.length > 0 && !isWhole;
  return (
    <div className={css.pick}>
      <TextInput
        {...(hidden ? { 'aria-label': label } : { label })}
        description={props.description}
        error={props.error}
        required={props.required}
        name={props.name}
        size={props.size ?? 'sm'}
        placeholder={props.placeholder}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={isShown ? list : undefined}
        aria-activedescendant={isShown && active >= 0 ? `${list}-${active}` : undefined}
        autoComplete="off"
        data-mantine-stop-propagation={isShown || undefined}
        rightSection={<Icon name="chevron-down" size={15} />}
        rightSectionPointerEvents="none"
        value={text ?? known}
        onChange={(event) => type(event.currentTarget.value)}
        onClick={() => setOpen(true)}
        onBlur={leave}
        onKeyDown={onKeyDown}
      />
      {isShown ? (
        <div id={list} role="listbox" aria-label={t('pick.list')} className={css.list}>
          {shown.map((choice, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and the keys
            <div
              key={choice.value}
              id={`${list}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === active}
              ref={i === active ? inView : undefined}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(choice)}
            >
              {choice.label}
            </div>
          ))}
        </div>
      ) : null}
    </div>
  );
}

function inView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}

function matches({ value, label, also = '' }: Choice, typed: string): boolean {
  return [label, value, also].some((one) => one.toLowerCase().includes(typed));
}

/** The choice whose name or value was typed as a whole. */
export function exact(choices: readonly Choice[], text: string): Choice | undefined {
  const typed = text.trim().toLowerCase();
  return choices.find((one) => [one.value, one.label, one.also].some((name) => name?.toLowerCase() === typed));
}
