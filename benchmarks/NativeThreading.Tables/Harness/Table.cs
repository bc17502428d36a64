using System.CommandLine;

namespace NativeThreading.Tables.Harness;

/// <summary>One table of the command line, measured and printed by <c>-- name</c>.</summary>
internal abstract class Table
{
    public abstract string Name { get; }

    public abstract string Description { get; }

    /// <summary>On a machine with fewer processors the table is skipped: its numbers would mean something else.</summary>
    public virtual int RequiredProcessors => 1;

    /// <summary>Whether the command "all" measures it.</summary>
    public virtual bool IsInAll => true;

    /// <summary>Options in addition to --quick, --full and --json.</summary>
    public virtual IEnumerable<Option> Options => [];

    public abstract TableResult Measure(RunOptions options, ParseResult arguments, Progress progress);

    public virtual void Print(TableResult result) => RowPrinter.Print(result.Rows);
}
