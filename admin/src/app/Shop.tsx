import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Failure, NotFoundPage, Waiting } from '../ui/states.tsx';
import { LAST_COMPANY } from './Entrance.tsx';
import { Frame } from './Frame.tsx';
import { usePersonsPreferences } from './preferences.ts';
import { ShopProvider, useSession } from './session.tsx';

/** Everything below a company's address. Without a session, sends the person to the sign-in page and back. */
export function Shop() {
  const { company: asked } = useParams({ strict: false });
  const { data: session, error, refetch } = useSession();
  const company = session?.companies.find(({ id }) => String(id) === asked);
  const id = company?.id;
  usePersonsPreferences(session);
  useEffect(() => {
    if (id !== undefined) localStorage.setItem(LAST_COMPANY, String(id));
  }, [id]);
  if (session === undefined) return error ? <Failure error={error} reset={refetch} /> : <Waiting />;
  if (session === null) return <ToSignIn />;
  if (company === undefined) return <NotFoundPage />;
  return (
    <ShopProvider key={company.id} company={company} session={session}>
      <Frame />
    </ShopProvider>
  );
}

/** Remembers the first address only: it is the one to return to, and the location changes during the redirect. */
function ToSignIn() {
  const navigate = useNavigate();
  const { href } = useLocation();
  const [next] = useState(href);
  useEffect(() => {
    void navigate({ to: '/sign-in', search: { next }, replace: true });
  }, [navigate, next]);
  return <Waiting />;
}
