using System.Reflection;
using Xunit.Sdk;
using Xunit.v3;

namespace NativeThreading.Tests.Support;

/// <summary>Runs a theory once per combination of its boolean parameters.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class CombinatorialBooleansAttribute : DataAttribute
{
    public override ValueTask<IReadOnlyCollection<ITheoryDataRow>> GetData(MethodInfo testMethod, DisposalTracker disposalTracker)
    {
        ArgumentNullException.ThrowIfNull(testMethod);
        int parameters = testMethod.GetParameters().Length;
        var rows = new List<ITheoryDataRow>();
        for (int bits = 0; bits < 1 << parameters; bits++)
        {
            int row = bits;
            rows.Add(new TheoryDataRow([.. Enumerable.Range(0, parameters).Select(i => (object)((row >> i & 1) != 0))]));
        }

        return new(rows);
    }

    public override bool SupportsDiscoveryEnumeration() => true;
}
