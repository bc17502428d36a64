using Xunit.v3;

namespace NativeThreading.Tests.Support;

/// <summary>
/// Tests count threads, wakes and bytes of one process: one after the other, in one collection that runs alone. Before
/// it run the classes with <see cref="BesideOthersAttribute"/>.
/// </summary>
public sealed class OneAfterTheOther(IXunitTestAssembly assembly) : TestCollectionFactoryBase(assembly)
{
    private readonly XunitTestCollection _alone = new(
        assembly, collectionDefinition: null, disableParallelization: true, $"One after the other in {assembly.AssemblyName}");

    public override string DisplayName => "one after the other";

    protected override IXunitTestCollection GetDefaultTestCollection(Type testClass) =>
        testClass.IsDefined(typeof(BesideOthersAttribute), inherit: false)
            ? new XunitTestCollection(TestAssembly, collectionDefinition: null, disableParallelization: false, $"{testClass.FullName} next to others")
            : _alone;
}
