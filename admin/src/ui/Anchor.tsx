import { Link } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';
import { useTarget } from '../app/nav.ts';

/** A link to a path of the shown company. */
export function Anchor({ path, ...rest }: { path: string } & Omit<ComponentPropsWithRef<'a'>, 'href'>) {
  const target = useTarget();
  return <Link {...target(path)} {...rest} />;
}
