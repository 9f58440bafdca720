import { Anchor } from '../Anchor.tsx';
import css from './PageTabs.module.css';

/** The way between pages that belong together, below their head. */
export function PageTabs(props: {
  label: string;
  tabs: readonly { path: string; text: string }[];
  /** The path of the page that is shown. */
  current: string;
}) {
  return (
    <nav className={css.tabs} aria-label={props.label}>
      {props.tabs.map(({ path, text }) => (
        <Anchor key={path} path={path} aria-current={path === props.current ? 'page' : undefined}>
          {text}
        </Anchor>
      ))}
    </nav>
  );
}
