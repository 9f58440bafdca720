import { useShop } from '../../app/session.tsx';
import { Section } from '../DetailPage.tsx';
import css from '../RecordForm.module.css';
import { Restored } from './drafts.tsx';
import { Input } from './fields.tsx';
import type { RecordFormState, ShownGroup } from './useRecordForm.ts';

/** The shown groups of a form, preceded by a notice of a restored draft and by errors of no shown field. */
export function FieldGroups(props: { form: RecordFormState; groups: ShownGroup[]; readOnly?: boolean | undefined }) {
  const { company } = useShop();
  const { values, restored, discard, problem, errorOf, set } = props.form;
  const shown = props.groups
    .filter(({ hidden }) => !hidden)
    .map(({ title, fields }) => ({ title, fields: fields.filter((field) => field.when?.(values) ?? true) }))
    .filter(({ fields }) => fields.length > 0);
  return (
    <>
      {restored ? <Restored onDiscard={discard} /> : null}
      {problem === null ? null : (
        <p role="alert" className={css.problem}>
          {problem}
        </p>
      )}
      {shown.length === 0 ? null : (
        <fieldset className={css.groups} disabled={props.readOnly}>
          {shown.map((group) => (
            <Section key={group.title} title={group.title}>
              <div className={css.fields}>
                {group.fields.map((field) => (
                  <div key={field.name} data-half={field.half}>
                    <Input
                      field={field}
                      value={values[field.name] ?? ''}
                      error={errorOf(field.name)}
                      country={
                        field.statesOf &&
                        (String(values[field.statesOf] ?? '') || (field.type === 'pick' ? company.country : ''))
                      }
                      onChange={(value) => set(field.name, value)}
                      context={company}
                    />
                  </div>
                ))}
              </div>
            </Section>
          ))}
        </fieldset>
      )}
    </>
  );
}
