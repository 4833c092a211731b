"""Results of MCPMark: ``attempts`` finds the runs of each task, ``importer`` numbers them."""

from passfloor.importers.mcpmark.importer import McpMarkImporter

__all__ = ["McpMarkImporter"]
