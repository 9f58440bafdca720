import { useQuery } from '@tanstack/react-query';
import { ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Section } from '../../ui/DetailPage.tsx';
import { Consents } from '../contacts/Consents.tsx';

/** The consents of the customer's contact. */
export function Consent({ id }: { id: number }) {
  const { api, company } = useShop();
  const { data } = useQuery({
    queryKey: [company.id, 'customers', id, 'contact'],
    queryFn: ({ signal }) => ok(api.GET('/customers/{id}/contact', { params: { path: { id } }, signal })),
  });
  if (data === undefined) return null;
  if (data.contact_id !== null) return <Consents id={data.contact_id} />;
  return (
    <Section title={t('consent.title')}>
      <p className="dim">{t('consent.no_contact')}</p>
    </Section>
  );
}
