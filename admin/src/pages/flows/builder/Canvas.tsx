import '@xyflow/react/dist/base.css';
import {
  applyNodeChanges,
  Background,
  type Connection,
  type FinalConnectionState,
  MarkerType,
  MiniMap,
  type NodeChange,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { t, tOf } from '../../../i18n/i18n.ts';
import { branchOf, type Draft, stepOf, TRIGGER, targetOf, waysOf } from '../model/draft.ts';
import { HEIGHT, type Positions, positionsOf, shapeOf, WIDTH } from '../model/layout.ts';
import { whyNotConnect } from '../model/loops.ts';
import { passedAlong } from '../model/numbers.ts';
import { triggerSummary } from '../outline.ts';
import type { FlowNumbers } from '../queries.ts';
import css from './Canvas.module.css';
import { type FlowNode, type NodeData, StepNode } from './StepNode.tsx';
import { type FlowEdge, type WayData, WayEdge } from './WayEdge.tsx';
import '../../events/words.ts';

const NODES = { step: StepNode };
const EDGES = { way: WayEdge };
const MAP = { width: 130, height: 96 };
const FIT = { padding: 0.15, maxZoom: 1 };
/** Zoom from which on a step's texts are legible. */
const READABLE = 0.6;

export interface CanvasProps {
  draft: Draft;
  /** The step that has the focus. */
  at: string | null;
  selected: readonly string[];
  label: string;
  numbers?: FlowNumbers | undefined;
  problems?: ReadonlyMap<string, string>;
  marks?: ReadonlyMap<string, NonNullable<NodeData['mark']>>;
  wayMarks?: ReadonlyMap<string, 'lit' | 'added' | 'removed'>;
  /** How to edit it; without it, the drawing is read-only. */
  edit?: CanvasEdit;
  onChoose(id: string): void;
}

export interface CanvasEdit {
  move(positions: Positions): void;
  connect(from: string, branch: string, to: string): void;
  disconnect(from: string, branch: string): void;
  insert(from: string, branch: string): void;
  select(ids: readonly string[]): void;
}

/** A flow as a drawing: to edit, to view or to compare, depending on its properties. */
export function Canvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <Drawing {...props} />
    </ReactFlowProvider>
  );
}

function Drawing(props: CanvasProps) {
  const { draft, at, selected, edit, numbers, problems, marks, wayMarks } = props;
  const isEditable = edit !== undefined;
  const positions = usePositions(draft);
  const given = useMemo(
    () => nodesOf({ draft, at, selected, numbers, problems, marks }, positions, isEditable),
    [draft, positions, at, selected, numbers, problems, marks, isEditable],
  );
  const [nodes, setNodes] = useState<FlowNode[]>(given);
  useEffect(() => setNodes((now) => whileDragged(given, now)), [given]);
  const latest = useRef({ edit, nodes, positions });
  latest.current = { edit, nodes, positions };
  const wayEdit = useMemo(() => {
    if (!isEditable) return null;
    return {
      insert: (from: string, branch: string) => latest.current.edit?.insert(from, branch),
      cut: (from: string, branch: string) => latest.current.edit?.disconnect(from, branch),
    };
  }, [isEditable]);
  const edges = useMemo(() => edgesOf({ draft, numbers, wayMarks }, wayEdit), [draft, numbers, wayMarks, wayEdit]);
  const { setCenter, getZoom, fitView } = useReactFlow();
  const stage = useRef<HTMLElement>(null);
  // The overview is drawn after the steps.
  const [isSettled, setSettled] = useState(false);

  // Scrolls to a step that becomes current, but does not follow one that is dragged.
  const goTo = useCallback(
    (id: string): void => {
      const place = latest.current.positions[id];
      if (place === undefined) return;
      void setCenter(place.x + WIDTH / 2, place.y + HEIGHT / 2, { zoom: Math.max(READABLE, getZoom()), duration: 0 });
    },
    [setCenter, getZoom],
  );
  useEffect(() => {
    if (at !== null && at !== TRIGGER) goTo(at);
  }, [at, goTo]);

  /** Shows the whole flow, or its beginning if the whole would be illegibly small. */
  const showBegin = async (): Promise<void> => {
    await fitView(FIT);
    const trigger = latest.current.positions[TRIGGER];
    if (getZoom() >= READABLE || trigger === undefined) return;
    if (at !== null && at !== TRIGGER) return goTo(at);
    const above = stage.current === null ? 0 : stage.current.clientHeight / 2 / READABLE - HEIGHT;
    await setCenter(trigger.x + WIDTH / 2, trigger.y + above, { zoom: READABLE });
  };
  const onNodesChange = (changes: NodeChange<FlowNode>[]): void => {
    const chosen = changes.filter((change) => change.type === 'select');
    if (chosen.length > 0 && edit !== undefined) {
      const next = new Set(latest.current.nodes.filter((node) => node.selected).map(({ id }) => id));
      for (const { id, selected: on } of chosen) {
        if (on) next.add(id);
        else next.delete(id);
      }
      edit.select([...next].filter((id) => id !== TRIGGER));
    }
    setNodes((now) =>
      applyNodeChanges(
        changes.filter(({ type }) => type !== 'remove'),
        now,
      ),
    );
  };
  const onDragStop = (): void => {
    const moved = latest.current.nodes.filter(({ id }) => id !== TRIGGER);
    edit?.move(
      Object.fromEntries(
        moved.map(({ id, position }) => [id, { x: Math.round(position.x), y: Math.round(position.y) }]),
      ),
    );
  };
  /** A connection may be dropped anywhere on a step; dropped elsewhere, it opens the choice of a step to put there. */
  const onConnectEnd = (event: MouseEvent | TouchEvent, state: FinalConnectionState): void => {
    const { from, to, fromHandle, toNode } = state;
    if (from === null || to === null || toNode !== null || fromHandle?.type !== 'source') return;
    const [source, branch] = [fromHandle.nodeId, fromHandle.id ?? 'default'];
    // A touch's target is where it began, not where it ends.
    const { clientX, clientY } = 'changedTouches' in event ? event.changedTouches[0]! : event;
    const under = document.elementFromPoint(clientX, clientY);
    const over = under?.closest<HTMLElement>('.react-flow__node')?.dataset.id;
    if (over === source) return;
    if (over !== undefined) {
      if (whyNotConnect(draft, source, over) === null) edit?.connect(source, branch, over);
    } else if (Math.hypot(to.x - from.x, to.y - from.y) >= HEIGHT / 2) edit?.insert(source, branch);
  };
  const possible = ({ source, sourceHandle, target }: Connection | FlowEdge): boolean =>
    whyNotConnect(draft, source, target) === null && waysOf(draft, source).includes(sourceHandle ?? '');
  return (
    <section ref={stage} className={css.stage} aria-label={props.label}>
      <ReactFlow<FlowNode, FlowEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={NODES}
        edgeTypes={EDGES}
        onNodesChange={onNodesChange}
        onNodeClick={(_, { id }) => props.onChoose(id)}
        onNodeDragStop={onDragStop}
        onSelectionDragStop={onDragStop}
        onConnect={({ source, sourceHandle, target }) => edit?.connect(source, sourceHandle ?? 'default', target)}
        onConnectEnd={onConnectEnd}
        isValidConnection={possible}
        onInit={() => void showBegin().then(() => setSettled(true))}
        nodesDraggable={edit !== undefined}
        nodesConnectable={edit !== undefined}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={edit !== undefined}
        disableKeyboardA11y
        deleteKeyCode={null}
        connectionRadius={40}
        minZoom={0.1}
        maxZoom={1.5}
        proOptions={{ hideAttribution: true }}
        aria-label={props.label}
      >
        <Background gap={28} />
        {isSettled ? (
          <MiniMap
            pannable
            zoomable
            className={css.map ?? ''}
            style={MAP}
            ariaLabel={t('builder.minimap')}
            nodeClassName={(node) => (node.selected ? (css.mapChosen ?? '') : '')}
          />
        ) : null}
      </ReactFlow>
    </section>
  );
}

/** Returns the given steps except for those being dragged: numbers and findings that arrive meanwhile do not reset their position. */
function whileDragged(given: FlowNode[], now: FlowNode[]): FlowNode[] {
  const dragged = new Map(now.filter(({ dragging }) => dragging === true).map((node) => [node.id, node]));
  if (dragged.size === 0) return given;
  return given.map((node) => {
    const held = dragged.get(node.id);
    return held === undefined ? node : { ...node, position: held.position, dragging: true };
  });
}

/** Steps are rearranged when their connections change, not when their texts do. */
function usePositions(draft: Draft): Positions {
  const shape = shapeOf(draft);
  const kept = useRef<{ shape: string; positions: Positions } | null>(null);
  if (kept.current?.shape !== shape) kept.current = { shape, positions: positionsOf(draft) };
  return kept.current.positions;
}

type Shown = Pick<CanvasProps, 'draft' | 'at' | 'selected'> & {
  [K in 'numbers' | 'problems' | 'marks' | 'wayMarks']: CanvasProps[K] | undefined;
};

function nodesOf(
  { draft, at, selected, problems, numbers, marks }: Omit<Shown, 'wayMarks'>,
  positions: Positions,
  isEditable: boolean,
): FlowNode[] {
  const chosen = new Set(selected);
  return [TRIGGER, ...draft.steps.map(({ step_id }) => step_id)].map((id) => {
    const step = stepOf(draft, id) ?? null;
    const ways = waysOf(draft, id);
    return {
      id,
      type: 'step',
      position: positions[id] ?? { x: 0, y: 0 },
      width: WIDTH,
      height: HEIGHT,
      measured: { width: WIDTH, height: HEIGHT },
      selected: chosen.has(id),
      draggable: id !== TRIGGER && isEditable,
      domAttributes: { 'aria-roledescription': undefined },
      data: {
        step,
        ways,
        trigger: [tOf('event_type', draft.trigger_type), triggerSummary(draft)].filter(Boolean).join(': '),
        open: ways.filter((branch) => targetOf(draft, id, branch) === null),
        isAt: id === (at ?? TRIGGER),
        problem: problems?.get(id),
        numbers: numbers?.steps.get(id),
        mark: marks?.get(id),
        editable: isEditable,
      },
    };
  });
}

function edgesOf(
  { draft, numbers, wayMarks }: Pick<Shown, 'draft' | 'numbers' | 'wayMarks'>,
  edit: WayData['edit'],
): FlowEdge[] {
  return draft.connections.map((one) => {
    const branch = branchOf(one);
    const id = `${one.from} ${branch}`;
    const mark = wayMarks?.get(`${id} ${one.to}`);
    const passed = numbers === undefined ? undefined : passedAlong(draft, numbers, one);
    return {
      id,
      type: 'way',
      source: one.from,
      target: one.to,
      sourceHandle: branch,
      markerEnd: { type: MarkerType.ArrowClosed, width: 18, height: 18, markerUnits: 'userSpaceOnUse' },
      ariaLabel: `${one.from} ${branch} → ${one.to}`,
      domAttributes: { 'aria-roledescription': undefined },
      data: { branch, passed, edit, lit: mark === 'lit', mark: mark === 'lit' ? undefined : mark },
    };
  });
}
