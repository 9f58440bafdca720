import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useGo } from '../app/nav.ts';
import { t } from '../i18n/i18n.ts';
import { FieldGroups } from './form/FieldGroups.tsx';
import { type RecordFormOptions, useRecordForm } from './form/useRecordForm.ts';
import type { AnyBody, Values } from './form/values.ts';
import { say } from './messages.tsx';
import css from './RecordForm.module.css';

export type { FieldGroup } from './form/useRecordForm.ts';

/** `save` may return a function that navigates to another page. */
interface RecordFormProps<Body extends object> extends RecordFormOptions<Body> {
  done: { path?: string; text: string };
  cancel?: string;
  submit: string;
  /** Shown, not changed: the role does not allow it. */
  readOnly?: boolean;
  /** Below the fields; a function is called with what is typed. */
  children?: ReactNode | ((values: Values) => ReactNode);
}

/** A form over the fields of an endpoint. */
export function RecordForm<Body extends object = AnyBody>(props: RecordFormProps<Body>) {
  const { done, cancel } = props;
  const go = useGo();
  const form = useRecordForm(props);
  const submit = async (): Promise<void> => {
    const result = await form.save();
    if (result === null) return;
    say(done.text);
    const next = result.saved;
    if (typeof next === 'function' || done.path !== undefined) form.letGo();
    if (typeof next === 'function') next();
    else if (done.path !== undefined) go(done.path, { replace: true });
  };
  return (
    <form
      ref={form.form}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      className={css.form}
      noValidate
    >
      <FieldGroups form={form} groups={props.groups} readOnly={props.readOnly} />
      {typeof props.children === 'function' ? props.children(form.values) : props.children}
      {props.readOnly ? null : (
        <div className={css.foot}>
          {cancel === undefined ? null : (
            <Button
              variant="default"
              onClick={() => {
                if (!form.mayLeave()) return;
                form.letGo();
                form.forget();
                go(cancel);
              }}
            >
              {t('action.cancel')}
            </Button>
          )}
          <Button type="submit" loading={form.busy} disabled={!props.whole && !form.changed}>
            {props.submit}
          </Button>
        </div>
      )}
    </form>
  );
}
