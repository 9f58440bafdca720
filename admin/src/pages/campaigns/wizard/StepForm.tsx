import type { ReactNode } from 'react';
import type { RecordFormState } from '../../../ui/form/useRecordForm.ts';
import css from './wizard.module.css';

/** A step as a form, so that Enter continues. */
export function StepForm(props: { form: RecordFormState; onSubmit(): void; children: ReactNode }) {
  return (
    <form
      ref={props.form.form}
      className={css.wizard}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit();
      }}
    >
      {props.children}
    </form>
  );
}
