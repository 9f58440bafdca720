import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { useContactOf } from './queries.ts';

/** A link to the customer's contact, with everything that marketing knows; nothing where there is none. */
export function ContactLink({ customer }: { customer: number }) {
  const id = useContactOf(customer);
  return id == null ? null : <Anchor path={`contacts/${id}`}>{t('contact.title', { id })}</Anchor>;
}
