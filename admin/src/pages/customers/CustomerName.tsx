import { ApiError } from '../../api/errors.ts';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { nameOf, useCustomer } from './queries.ts';

/** A customer's name and address as a link; an erased customer is named as such. */
export function CustomerName({ id }: { id: number }) {
  const { data, error } = useCustomer(id);
  if (error instanceof ApiError && error.status === 404)
    return <span className="dim">{t('customer.erased', { id })}</span>;
  if (data === undefined) return <span className="dim">{t('customer.title', { id })}</span>;
  return (
    <span className="break">
      <Anchor path={`customers/${id}`}>{nameOf(data)}</Anchor>
      {nameOf(data) === data.email ? null : (
        <>
          <br />
          <span className="dim">{data.email}</span>
        </>
      )}
    </span>
  );
}

export function CustomerText({ id }: { id: number }) {
  const { data } = useCustomer(id);
  return data === undefined ? '' : nameOf(data);
}
