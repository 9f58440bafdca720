import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ApiError } from '../api/errors.ts';
import { useShop } from '../app/session.tsx';
import { t } from '../i18n/i18n.ts';
import { DialogActions } from './DialogActions.tsx';
import { Input, refuseTwoReadings } from './form/fields.tsx';
import {
  type AnyBody,
  bodyOfFields,
  type Field,
  type FieldOf,
  fieldOfError,
  shownError,
  type Values,
} from './form/values.ts';
import { fieldText, say, textOf } from './messages.tsx';
import css from './RecordForm.module.css';

interface FormDialogProps<Body extends object> {
  title: string;
  text?: ReactNode;
  fields: FieldOf<Body>[];
  initial?: Values;
  submit: string;
  /** Sends what was typed, without empty fields; errors of fields are shown at them. */
  save(body: Body): Promise<unknown>;
  /** Message shown afterwards. */
  done?: string;
  danger?: true;
  onClose(): void;
}

/** A dialog with a few fields and one action. */
export function FormDialog<Body extends object = AnyBody>(props: FormDialogProps<Body>) {
  const { company } = useShop();
  const client = useQueryClient();
  const [values, setValues] = useState<Values>(props.initial ?? {});
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const fields: Field[] = props.fields.filter((field) => field.when?.(values) ?? true);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const given = fields.filter(({ name }) => (values[name] ?? '') !== '');
      refuseTwoReadings(given, values, company);
      await props.save(bodyOfFields<Body>(given, values, company));
      await client.invalidateQueries({ queryKey: [company.id] });
      if (props.done !== undefined) say(props.done);
      props.onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const errors = error instanceof ApiError ? error.fields : [];
  const names = new Set(fields.map(({ name }) => name));
  const elsewhere = errors.filter((one) => !names.has(fieldOfError(one, names)));
  const errorOf = (name: string): string | undefined => {
    const found = errors.find((one) => fieldOfError(one, names) === name);
    return found && fieldText(shownError({ ...found, field: name }, fields));
  };
  return (
    <Modal opened onClose={props.onClose} title={props.title} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form className="stack" onSubmit={submit} noValidate>
        {props.text === undefined ? null : <p className="break">{props.text}</p>}
        {error !== null && (errors.length === 0 || elsewhere.length > 0) ? (
          <p role="alert" className={css.problem}>
            {elsewhere.length > 0 ? elsewhere.map(({ message }) => message).join('; ') : textOf(error)}
          </p>
        ) : null}
        {fields.map((field) => (
          <Input
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            error={errorOf(field.name)}
            context={company}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))}
        <DialogActions
          submit={props.submit}
          onCancel={props.onClose}
          loading={busy}
          {...(props.danger ? { color: 'red' as const } : {})}
        />
      </form>
    </Modal>
  );
}
