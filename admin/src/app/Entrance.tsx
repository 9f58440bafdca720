import { Navigate } from '@tanstack/react-router';
import { t } from '../i18n/i18n.ts';
import { Empty, Failure, Waiting } from '../ui/states.tsx';
import { useSession } from './session.tsx';

export const LAST_COMPANY = 'tradeloom-company';

/** /admin/: redirects to the company shown last, or to the sign-in page. */
export function Entrance() {
  const { data: session, error, refetch } = useSession();
  if (error) return <Failure error={error} reset={refetch} />;
  if (session === undefined) return <Waiting />;
  if (session === null) return <Navigate to="/sign-in" replace />;
  const last = Number(localStorage.getItem(LAST_COMPANY));
  const company = session.companies.find(({ id }) => id === last) ?? session.companies[0];
  if (company === undefined)
    return <Empty icon="building-store" title={t('companies.none')} text={t('companies.none.text')} />;
  return <Navigate to="/$company" params={{ company: String(company.id) }} replace />;
}
