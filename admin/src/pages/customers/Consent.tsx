import { t } from '../../i18n/i18n.ts';
import { Section } from '../../ui/DetailPage.tsx';
import { Consents } from '../contacts/Consents.tsx';
import { useContactOf } from './queries.ts';

/** The consents of the customer's contact. */
export function Consent({ id }: { id: number }) {
  const contact = useContactOf(id);
  if (contact === undefined) return null;
  if (contact !== null) return <Consents id={contact} />;
  return (
    <Section title={t('consent.title')}>
      <p className="dim">{t('consent.no_contact')}</p>
    </Section>
  );
}
