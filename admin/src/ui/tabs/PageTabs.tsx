import { Anchor } from '../Anchor.tsx';
import css from './PageTabs.module.css';

/** Links between related pages, below their header. */
export function PageTabs(props: {
  label: string;
  tabs: readonly { path: string; text: string }[];
  /** The path of the shown page. */
  current: string;
}) {
  return (
    <nav className={css.tabs} aria-label={props.label}>
      {props.tabs.map(({ path, text }) => (
        <Anchor key={path} path={path} exact aria-current={path === props.current ? 'page' : undefined}>
          {text}
        </Anchor>
      ))}
    </nav>
  );
}
