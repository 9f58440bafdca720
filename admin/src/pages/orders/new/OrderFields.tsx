import { useShop } from '../../../app/session.tsx';
import { Section } from '../../../ui/DetailPage.tsx';
import { Input } from '../../../ui/form/fields.tsx';
import { bodyOfFields, type FieldContext, type Values } from '../../../ui/form/values.ts';
import { customGroups, gathered } from '../../custom-fields/fields.tsx';
import type { CustomField } from '../../custom-fields/queries.ts';
import css from './new.module.css';

/** The custom fields of an order that is being entered. */
export function OrderFields(props: {
  fields: readonly CustomField[];
  values: Values;
  errors: Readonly<Record<string, string>>;
  onChange(values: Values): void;
}) {
  const { fields, values, errors, onChange } = props;
  const { company } = useShop();
  return customGroups(fields, company).map((group) => (
    <Section key={group.title} title={group.title}>
      <div className={css.fields}>
        {group.fields.map((field) => (
          <div key={field.name} data-field={field.name}>
            <Input
              field={field}
              value={values[field.name] ?? ''}
              error={errors[field.name]}
              context={company}
              onChange={(value) => onChange({ ...values, [field.name]: value })}
            />
          </div>
        ))}
      </div>
    </Section>
  ));
}

/** The member `custom` of the request, with the fields that have a value. */
export function customBody(
  fields: readonly CustomField[],
  values: Values,
  context: FieldContext,
): { custom?: Record<string, unknown> } {
  const given = customGroups(fields, context)
    .flatMap((group) => group.fields)
    .filter(({ name }) => (values[name] ?? '') !== '');
  return gathered(bodyOfFields<Record<string, unknown>>(given, values, context));
}
