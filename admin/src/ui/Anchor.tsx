import { Link } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';
import { useTarget } from '../app/nav.ts';

interface AnchorProps extends Omit<ComponentPropsWithRef<'a'>, 'href'> {
  path: string;
  /** It is not the current page's while a page below its path is shown. */
  exact?: boolean;
}

/** A link to a path of the shown company. */
export function Anchor({ path, exact = false, ...rest }: AnchorProps) {
  const target = useTarget();
  return <Link {...target(path)} activeOptions={{ exact }} {...rest} />;
}
