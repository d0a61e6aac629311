"""Reads what `dem run` wrote for ParaView with VTK itself: `python3 read_vtk.py FOLDER FRAME`, of a run with `vtk` and `surfaces`."""

import csv
import math
import sys
import xml.etree.ElementTree as tree

import vtk

folder, frame = sys.argv[1], int(sys.argv[2])


def read(name):
    reader, errors = vtk.vtkXMLPolyDataReader(), []
    assert reader.CanReadFile(f"{folder}/{name}"), name
    reader.AddObserver("ErrorEvent", lambda *_: errors.append(name))
    reader.SetFileName(f"{folder}/{name}")
    reader.Update()
    assert not errors, errors
    return reader.GetOutput()


def column(data, name):
    array = data.GetPointData().GetArray(name)
    assert array is not None and array.GetNumberOfTuples() == data.GetNumberOfPoints(), name
    return [array.GetTuple(i) for i in range(array.GetNumberOfTuples())]


def near(a, b, size):
    assert len(a) == len(b) and all(abs(x - y) <= 1e-12 * size for x, y in zip(a, b)), (a, b)


# Series: times, and files that are there.
with open(f"{folder}/numbers.csv") as file:
    numbers = list(csv.DictReader(file))
for name in ("bodies", "contacts", "surfaces"):
    sets = tree.parse(f"{folder}/{name}.pvd").getroot().findall("Collection/DataSet")
    assert [float(s.get("timestep")) for s in sets] == [float(row["time"]) for row in numbers], name
    for one in sets:
        read(one.get("file"))

bodies, contacts, surfaces = (read(f"vtk/{name}_{frame:06}.vtp") for name in ("bodies", "contacts", "surfaces"))
row = numbers[frame]
assert bodies.GetNumberOfPoints() == bodies.GetNumberOfVerts() == int(row["bodies"])
assert contacts.GetNumberOfPoints() == int(row["contacts"]) > 0, "there have to be contacts"

# Where bodies are, and which way they look: as the table says.
with open(f"{folder}/bodies.csv") as file:
    table = {row["id"]: row for row in csv.DictReader(file) if int(row["frame"]) == frame}
ids = [int(i) for (i,) in column(bodies, "id")]
for k, i in enumerate(ids):
    told = table[str(i)]
    near(bodies.GetPoint(k), [float(told[x]) for x in "xyz"], 0)
    near(column(bodies, "orientation")[k], [float(told[x]) for x in ("qw", "qx", "qy", "qz")], 0)
    near(column(bodies, "velocity")[k], [float(told[x]) for x in ("vx", "vy", "vz")], 0)

# Copies of shapes, as "3D Glyphs" puts them, are the surfaces.
points, polygons = [], 0
for k, (scale,) in enumerate(column(bodies, "scale")):
    name = f"vtk/shape_{int(column(bodies, 'shape')[k][0])}.vtp"
    try:
        shape = read(name)
    except AssertionError:
        # Planes have none.
        continue
    matrix = [[0.0] * 3 for _ in range(3)]
    vtk.vtkMath.QuaternionToMatrix3x3(column(bodies, "orientation")[k], matrix)
    at = bodies.GetPoint(k)
    for v in range(shape.GetNumberOfPoints()):
        p = [scale * x for x in shape.GetPoint(v)]
        points.append([at[i] + sum(matrix[i][j] * p[j] for j in range(3)) for i in range(3)])
    polygons += shape.GetNumberOfPolys()
    mass = vtk.vtkMassProperties()
    mass.SetInputData(shape)
    mass.Update()
    assert mass.GetVolume() > 0
assert surfaces.GetNumberOfPoints() == len(points) > 0 and surfaces.GetNumberOfPolys() == polygons
for v, p in enumerate(points):
    near(surfaces.GetPoint(v), p, 10)

# Forces at contacts add up to those of bodies.
total = {i: [0.0] * 3 for i in ids}
for force, normal, (a,), (b,) in zip(*(column(contacts, name) for name in ("force", "normal", "a", "b"))):
    near([math.hypot(*normal)], [1], 1)
    for i, sign in ((int(a), 1), (int(b), -1)):
        total[i] = [x + sign * f for x, f in zip(total[i], force)]
most = max(math.hypot(*force) for force in column(contacts, "force"))
assert most > 0
dynamic = 0
for i, force in zip(ids, column(bodies, "contact_force")):
    if math.hypot(*force) > 0:
        dynamic += 1
        same = [abs(x - y) <= 1e-9 * most for x, y in zip(force, total[i])]
        turned = [abs(x + y) <= 1e-9 * most for x, y in zip(force, total[i])]
        assert all(same) or all(turned), (i, force, total[i])
assert dynamic > 0
print(f"VTK {vtk.vtkVersion().GetVTKVersion()}: {len(ids)} bodies, {contacts.GetNumberOfPoints()} contacts, {polygons} triangles")
