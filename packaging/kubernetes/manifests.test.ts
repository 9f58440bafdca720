import { readdirSync, readFileSync } from 'node:fs';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, Service, ServiceAccount } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { environmentOf, readDockerfile } from '../docker/dockerfile.ts';
import { knownSettings } from '../testing/settings.ts';

interface Container {
  args: string[];
  env?: { name: string; value: string }[];
  ports?: { name: string; containerPort: number }[];
  securityContext: object;
  readinessProbe?: { httpGet: { path: string; port: string } };
  livenessProbe?: object;
  startupProbe?: object;
  lifecycle?: object;
  volumeMounts: { name: string; mountPath: string }[];
}

interface Resource {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec: {
    selector: { matchLabels: Record<string, string> };
    strategy?: { rollingUpdate: object };
    volumeClaimTemplates?: object[];
    template: {
      metadata: { labels: Record<string, string> };
      spec: { securityContext: object; containers: Container[]; terminationGracePeriodSeconds?: number };
    };
  };
}

const MODELS = {
  ConfigMap,
  Deployment,
  Ingress,
  Job,
  Namespace,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
  StatefulSet,
};
const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const listed = (parse(read('kustomization.yaml')) as { resources: string[] }).resources;
const resources = listed.flatMap((name) => parseAllDocuments(read(name)).map((one) => one.toJS() as Resource));
const podsOf = resources.filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind));
const containers = podsOf.map(({ spec }) => spec.template.spec.containers[0]!);

function find(kind: string, name: string): Resource {
  const found = resources.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`There is no ${kind} ${name}`);
  return found;
}

function validate(resource: Resource): void {
  const Model = MODELS[resource.kind as keyof typeof MODELS];
  new Model(resource as never).validate();
}

describe('the manifests for Kubernetes', () => {
  it('are all named by the kustomization, and valid by the schemas of their kinds', () => {
    expect(
      readdirSync(new URL('.', import.meta.url))
        .filter((name) => name.endsWith('.yaml'))
        .sort(),
    ).toEqual([...listed, 'kustomization.yaml'].sort());
    expect(resources.map(({ kind }) => kind).sort()).toEqual([
      ...['ConfigMap', 'Deployment', 'Ingress', 'Job', 'Namespace', 'PodDisruptionBudget', 'PodDisruptionBudget'],
      ...['Service', 'Service', 'ServiceAccount', 'StatefulSet'],
    ]);
    for (const resource of resources) validate(resource);
    expect(() => validate({ ...find('Deployment', 'tradeloom-api'), spec: { replicas: 'two' } as never })).toThrow();
  });

  it('run every container without rights, as the user of the image, on a read-only file system', () => {
    for (const { spec } of podsOf) {
      expect(spec.template.spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 65532,
        fsGroup: 65532,
      });
    }
    for (const container of containers) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/data', '/tmp']);
    }
    expect(containers.map(({ args }) => args)).toEqual([
      ['migrate'],
      ['start', '--role', 'api'],
      ['start', '--role', 'worker'],
    ]);
  });

  it('replace API pods one after the other, each given time to end', () => {
    const { spec } = find('Deployment', 'tradeloom-api');
    expect(spec.strategy!.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    const [api] = spec.template.spec.containers;
    expect(api!.readinessProbe!.httpGet).toMatchObject({ path: '/health/ready', port: 'http' });
    expect(api!.livenessProbe).toMatchObject({ httpGet: { path: '/health/live' } });
    expect(api!.lifecycle).toEqual({ preStop: { sleep: { seconds: 5 } } });
    expect(api!.ports).toEqual([{ name: 'http', containerPort: 3000 }]);
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(5 + 12);
  });

  it('keep the journal of erasures of workers, and ask them as the image does', () => {
    const { spec } = find('StatefulSet', 'tradeloom-worker');
    expect(spec.volumeClaimTemplates).toMatchObject([{ metadata: { name: 'data' } }]);
    const [worker] = spec.template.spec.containers;
    const image = readDockerfile(read('../docker/Dockerfile')).at(-1)!;
    const variables = new Set([...Object.keys(environmentOf(image)), ...knownSettings()]);
    expect(worker!.env!.map(({ name }) => name).filter((name) => !variables.has(name))).toEqual([]);
    expect(JSON.stringify(worker!.livenessProbe)).toContain('process.env.HEALTH_URL');
  });

  it('select the pods that they mean', () => {
    for (const role of ['api', 'worker']) {
      const { spec } = resources.find(
        ({ kind, metadata }) => /Set|Deployment/.test(kind) && metadata.name.endsWith(role),
      )!;
      expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
      expect(find('PodDisruptionBudget', `tradeloom-${role}`).spec.selector.matchLabels).toEqual(
        spec.selector.matchLabels,
      );
    }
    const { selector } = find('Service', 'tradeloom').spec as unknown as { selector: Record<string, string> };
    expect(find('Deployment', 'tradeloom-api').spec.template.metadata.labels).toEqual(selector);
  });

  it('set only settings that exist, and no secret', () => {
    const { data } = find('ConfigMap', 'tradeloom');
    expect(Object.keys(data!).filter((name) => !knownSettings().has(name))).toEqual([]);
    expect(Object.keys(data!).filter((name) => /KEY|TOKEN|SECRET|DATABASE|_URL$/.test(name))).toEqual([
      'TRADELOOM_PUBLIC_URL',
    ]);
    expect(resources.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  it('list the paths that the ingress controller rejects: all that are not public', () => {
    const text = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    const row = /^\| Not public \| (.*?):/m.exec(text('docs/operations.md'))![1]!;
    const paths = [...row.matchAll(/`(\/[a-z]+)/g)].map(([, path]) => path!);
    expect(paths).toEqual(['/metrics', '/health', '/tls']);
    const guide = /\n## On Kubernetes\n(.*?)\n```/s.exec(text('docs/guides/install.md'))![1]!;
    for (const path of paths) {
      expect(guide).toContain(`\`${path}\``);
      expect(text('packaging/kubernetes/network.yaml')).toMatch(new RegExp(`^#.*${path}\\b`, 'm'));
    }
  });
});
