import { Button, Checkbox, CloseButton, NativeSelect, TextInput } from '@mantine/core';
import { t } from '../../i18n/i18n.ts';
import type { InputProps } from '../../ui/form/values.ts';
import { Icon } from '../../ui/Icon.tsx';
import css from './forms.module.css';
import type { Question } from './queries.ts';
import '../../rules/texts.ts';

const USUAL = ['first_name', 'last_name', 'phone'] as const;
const PROPERTY = 'properties.';
const MOST = 10;

export function questionsOf(value: unknown): Question[] {
  return JSON.parse(String(value)) as Question[];
}

/** The form's questions in addition to the e-mail address; kept as JSON. */
export function Questions({ field, value, error, onChange }: InputProps) {
  const questions = questionsOf(value);
  const set = (next: Question[]): void => onChange(JSON.stringify(next));
  const change = (i: number, part: Partial<Question>): void => set(questions.with(i, { ...questions[i]!, ...part }));
  const free = USUAL.find((name) => !questions.some((question) => question.name === name)) ?? PROPERTY;
  return (
    <fieldset className={css.questions}>
      <legend>{field.label}</legend>
      {questions.map((question, i) => {
        const isProperty = question.name.startsWith(PROPERTY);
        const { label: _label, ...unlabelled } = question;
        return (
          // A question has no stable identity while it is typed.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <div key={i} className={css.question}>
            <NativeSelect
              size="xs"
              aria-label={t('form.question.field', { n: i + 1 })}
              value={isProperty ? PROPERTY : question.name}
              data={[
                ...USUAL.map((name) => ({ value: name, label: t(`field.${name}`) })),
                { value: PROPERTY, label: t('rule.what.properties') },
              ]}
              onChange={(event) => change(i, { name: event.currentTarget.value })}
            />
            {isProperty ? (
              <TextInput
                size="xs"
                aria-label={t('form.question.property', { n: i + 1 })}
                placeholder={t('rule.path')}
                autoComplete="off"
                value={question.name.slice(PROPERTY.length)}
                onChange={(event) => change(i, { name: PROPERTY + event.currentTarget.value.trim().toLowerCase() })}
              />
            ) : null}
            <TextInput
              size="xs"
              aria-label={t('form.question.label', { n: i + 1 })}
              placeholder={t('form.question.label.usual')}
              autoComplete="off"
              value={question.label ?? ''}
              onChange={({ currentTarget: { value: label } }) =>
                set(questions.with(i, label === '' ? unlabelled : { ...question, label }))
              }
            />
            <Checkbox
              size="xs"
              label={t('form.question.required')}
              checked={question.required === true}
              onChange={(event) => change(i, { required: event.currentTarget.checked })}
            />
            <CloseButton
              aria-label={t('form.question.remove', { n: i + 1 })}
              onClick={() => set(questions.toSpliced(i, 1))}
            />
          </div>
        );
      })}
      {error === undefined ? null : (
        <p role="alert" className={css.problem}>
          {error}
        </p>
      )}
      <div>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
          disabled={questions.length >= MOST}
          onClick={() => set([...questions, { name: free }])}
        >
          {t('form.question.add')}
        </Button>
      </div>
    </fieldset>
  );
}
