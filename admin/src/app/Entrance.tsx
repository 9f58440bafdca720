import { Button } from '@mantine/core';
import { Navigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { t } from '../i18n/i18n.ts';
import { Icon } from '../ui/Icon.tsx';
import { Messages, sayError } from '../ui/messages.tsx';
import { Empty, Failure, Waiting } from '../ui/states.tsx';
import { useSession, useSignOut } from './session.tsx';

export const LAST_COMPANY = 'tradeloom-company';

const FirstCompany = lazy(() =>
  import('../pages/companies/FirstCompany.tsx').then((module) => ({ default: module.FirstCompany })),
);

/** For a person who is to be invited to a company. */
function NoCompany({ again }: { again: () => void }) {
  const signOut = useSignOut();
  return (
    <main>
      <h1 className="visually-hidden">{t('companies.none')}</h1>
      <Empty icon="building-store" title={t('companies.none')} text={t('companies.none.text')}>
        <div className="row">
          <Button variant="default" onClick={again} leftSection={<Icon name="refresh" size={16} />}>
            {t('action.retry')}
          </Button>
          <Button variant="default" onClick={() => void signOut().catch(sayError)}>
            {t('action.sign_out')}
          </Button>
        </div>
      </Empty>
      <Messages />
    </main>
  );
}

/** /admin/: redirects to the company shown last, or to the sign-in page; the owner of an empty installation creates the first company. */
export function Entrance() {
  const { data: session, error, refetch } = useSession();
  if (error) return <Failure error={error} reset={refetch} />;
  if (session === undefined) return <Waiting />;
  if (session === null) return <Navigate to="/sign-in" replace />;
  const last = Number(localStorage.getItem(LAST_COMPANY));
  const company = session.companies.find(({ id }) => id === last) ?? session.companies[0];
  if (company === undefined && session.owns_installation)
    return (
      <Suspense fallback={<Waiting />}>
        <FirstCompany />
      </Suspense>
    );
  if (company === undefined) return <NoCompany again={() => void refetch()} />;
  const to: string = `/${company.id}`;
  return <Navigate to={to} replace />;
}
