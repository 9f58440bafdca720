import { Modal, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { t, tOf } from '../../../i18n/i18n.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { STEP_ICONS } from '../icons.ts';
import { type StepType, targetOf, type Way, waysOf } from '../model/draft.ts';
import { KINDS, type Kind, nextId } from '../model/new-step.ts';
import css from './Builder.module.css';
import { useBuilderContext } from './useBuilder.ts';

/** The dialog sets the focus a moment after it is shown: text typed before would go to the canvas. */
const focusAtOnce = (input: HTMLInputElement | null): void => input?.focus();

/** Offers the step types for a place in the flow; typing filters them. */
export function StepPicker({ on }: { on: Way | null }) {
  const builder = useBuilderContext();
  const { draft } = builder;
  const [place, setPlace] = useState(on);
  const [text, setText] = useState('');
  const ways = place === null ? [] : waysOf(draft, place.from);
  const isBetween = place !== null && targetOf(draft, place.from, place.branch) !== null;
  const offered = (Object.keys(KINDS) as Kind[]).map((kind) => ({
    kind,
    types: KINDS[kind].filter(
      (type: StepType) =>
        !(isBetween && type === 'exit') &&
        `${tOf('flow.step', type)} ${type}`.toLowerCase().includes(text.trim().toLowerCase()),
    ) as StepType[],
  }));
  const first = offered.flatMap(({ types }) => types)[0];
  const add = (type: StepType): void => {
    const id = nextId(draft, type);
    builder.run({ do: 'add', type, on: place });
    builder.pick(undefined);
    builder.goTo(id);
  };
  return (
    <Modal
      opened
      size="lg"
      title={t('builder.add')}
      onClose={() => builder.pick(undefined)}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (first !== undefined) add(first);
        }}
      >
        <TextInput
          ref={focusAtOnce}
          data-autofocus
          aria-label={t('builder.find_type')}
          placeholder={t('builder.find_type')}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        {ways.length > 1 && place !== null ? (
          <NativeSelect
            label={t('builder.branch')}
            value={place.branch}
            data={ways}
            onChange={({ currentTarget }) => setPlace({ ...place, branch: currentTarget.value })}
          />
        ) : null}
        {offered.map(({ kind, types }) =>
          types.length === 0 ? null : (
            <div key={kind}>
              <h3 className={css.kind}>{tOf('builder.kind', kind)}</h3>
              <div className={css.types}>
                {types.map((type) => (
                  <button key={type} type="button" className={css.type} onClick={() => add(type)}>
                    <Icon name={STEP_ICONS[type]} size={16} /> {tOf('flow.step', type)}
                  </button>
                ))}
              </div>
            </div>
          ),
        )}
      </form>
    </Modal>
  );
}
