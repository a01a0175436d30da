/** Imports point one way: services know the domain, src knows services, layers know both, nobody knows test. */
module.exports = {
  forbidden: [
    { name: "no-circles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "services-know-the-domain-only",
      severity: "error",
      from: { path: "^services/" },
      to: { path: "^(src|layers|test|examples)/", pathNot: "^src/domain/" }
    },
    {
      name: "services-are-contracts",
      comment: "A contract imports no node module and no backend.",
      severity: "error",
      from: { path: "^services/" },
      to: { dependencyTypes: ["core"] }
    },
    {
      name: "the-domain-stands-alone",
      severity: "error",
      from: { path: "^src/domain/" },
      to: { path: "^(src|services|layers|test|examples)/", pathNot: "^src/domain/" }
    },
    {
      name: "src-never-knows-a-layer",
      comment: "Layers are provided at the edge: the command line and the program.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(cli/|main\\.ts$)" },
      to: { path: "^(layers|src/cli|src/main\\.ts)" }
    },
    {
      name: "layers-never-know-the-command-line",
      severity: "error",
      from: { path: "^layers/" },
      to: { path: "^(src/(cli/|main\\.ts$|index\\.ts$)|examples/)" }
    },
    { name: "nobody-knows-test", severity: "error", from: { pathNot: "^test/" }, to: { path: "^test/" } },
    {
      name: "the-library-needs-its-peers-only",
      comment: "What only the bundled program contains must not be needed by the library.",
      severity: "error",
      from: { path: "^(src|services|layers)/", pathNot: "^src/(cli/|main\\.ts$)" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["npm-peer", "npm", "npm-optional"] }
    },
    { name: "no-unresolvable", severity: "error", from: {}, to: { couldNotResolve: true, pathNot: "^poimen-memory" } }
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "default"] }
  }
}
