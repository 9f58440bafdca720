import { ApiError } from '../../api/errors.ts';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Clamp } from '../../ui/Clamp.tsx';
import { type CustomerName as Named, nameOf, useCustomer } from './queries.ts';

/** A customer's name and address as a link; an erased customer is named as such. */
export function CustomerName({ id }: { id: number }) {
  const { data, error } = useCustomer(id);
  if (error instanceof ApiError && error.status === 404)
    return <span className="dim">{t('customer.erased', { id })}</span>;
  if (data === undefined) return <span className="dim">{t('customer.title', { id })}</span>;
  return <NameAndEmail id={id} name={nameOf(data)} email={data.email} />;
}

/** The same for a row of a list, which has its customer. */
export function ListedCustomer({ id, customer }: { id: number; customer: Named | null }) {
  if (customer === null) return <span className="dim">{t('customer.erased', { id })}</span>;
  return <NameAndEmail id={id} name={customer.name || customer.email} email={customer.email} />;
}

function NameAndEmail({ id, name, email }: { id: number; name: string; email: string }) {
  return (
    <span className="break">
      <Anchor path={`customers/${id}`}>
        <Clamp one text={name} />
      </Anchor>
      {name === email ? null : (
        <span className="dim">
          <Clamp one text={email} />
        </span>
      )}
    </span>
  );
}

export function CustomerText({ id }: { id: number }) {
  const { data } = useCustomer(id);
  return data === undefined ? `#${id}` : nameOf(data);
}
